import { mediaProcessesOf, roomProcessesOf, signalAll } from "@atrium/api/testing/ProcessTree"
import { call, deploy } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { chromiumPath } from "./browser/Chromium.ts"
import {
  type BrowserTalker,
  hears,
  hearsNothing,
  leavesGroupOf,
  makeTalkers,
  silenceAfter
} from "./voice/Talkers.ts"

const executablePath = chromiumPath("A call of two Chromium")

const service = sharedService()

describe.skipIf(executablePath === null)("two browsers with microphones", () => {
  let talkers: Awaited<ReturnType<typeof makeTalkers>>
  let ann: BrowserTalker
  let bob: BrowserTalker

  beforeAll(async () => {
    const { url, token } = service
    const made = await call(url, "/v1/projects", { token, body: { name: "voice" } })
    const project = String(made.body["id"])
    const folder = `${import.meta.dirname}/voice`
    const { status } = await deploy({ url, token, project }, ["talk.ts"], folder)
    if (status !== 201) throw new Error(`the room is not deployed: ${status}`)
    talkers = await makeTalkers(executablePath ?? "")
    const to = { url, project, roomId: "parlour" }
    ;[ann, bob] = await Promise.all([talkers.open(1000, to), talkers.open(440, to)])
  })

  afterAll(async () => {
    await talkers?.end()
  })

  it("[C-890] hear each other through the service", async () => {
    await Promise.all([ann.talk(), bob.talk()])
    await Promise.all([hears(ann, 440), hears(bob, 1000)])
    const [one, two] = await Promise.all([ann.state(), bob.state()])
    expect(new Set(one.participants)).toEqual(new Set([one.sessionId, two.sessionId]))
    expect([one.speakers, two.speakers]).toEqual([[two.sessionId], [one.sessionId]])
    // A level is that of the last milliseconds, in which the sound of a busy machine has gaps.
    await until("both are loud", async () => {
      const levels = new Map((await ann.state()).levels)
      return [one, two].every(({ sessionId }) => (levels.get(sessionId) ?? 0) > 0.05)
    })
  })

  it("[C-890] hear nobody who is muted, turned down, or in another group", async () => {
    const { sessionId } = await bob.state()
    await bob.does("mute", true)
    await hearsNothing(ann)
    await bob.does("mute", false)
    await hears(ann, 440)
    await ann.does("setVolume", sessionId, 0)
    await hearsNothing(ann)
    await ann.does("setVolume", sessionId, 1)
    await hears(ann, 440)
    await bob.does("team", "red")
    await Promise.all([hearsNothing(ann), hearsNothing(bob)])
    await ann.does("team", "red")
    await Promise.all([hears(ann, 440), hears(bob, 1000)])
  })

  it("[C-890] hear a player from where it stands: left, right, nearer and out of range", async () => {
    await ann.does("hangUp")
    await ann.talk(10)
    await bob.does("move", -5, 0)
    await until("the left is louder", async () => {
      const { left, right } = await ann.sides()
      return left > -60 && left - right > 6
    })
    await bob.does("move", 5, 0)
    await until("the right is louder", async () => {
      const { left, right } = await ann.sides()
      return right > -60 && right - left > 6
    })
    await bob.does("move", 0, 1)
    let near = Number.NaN
    await until("both sides are alike", async () => {
      const { left, right } = await ann.sides()
      near = left
      return left > -60 && Math.abs(right - left) < 1
    })
    await bob.does("move", 0, 8)
    await until("a player further away is quieter", async () => {
      const { left, right } = await ann.sides()
      return left > -80 && near - left > 9 && Math.abs(right - left) < 1
    })
    await bob.does("move", 0, 11)
    await hearsNothing(ann)
    // Bob hears all alike.
    await hears(bob, 1000)
    await ann.does("hangUp")
    await ann.talk()
    await hears(ann, 440)
  })

  // How soon in these two, beside nothing else: voiceHandover.long.test.ts.
  it("[C-890] hear each other again after their media process was killed", async () => {
    const kill = () => signalAll(mediaProcessesOf(service.pid), "SIGKILL")
    await silenceAfter(kill, [ann, 440], [bob, 1000])
    await Promise.all([hears(ann, 440), hears(bob, 1000)])
  })

  it("[C-890] hear each other while their room restarts after a crash, and its groups hold again", async () => {
    const { ends } = await ann.state()
    signalAll(roomProcessesOf(service.pid), "SIGKILL")
    await hears(ann, 440)
    await leavesGroupOf(bob, ann)
    await hearsNothing(bob)
    await ann.does("team", "blue")
    await Promise.all([hears(ann, 440), hears(bob, 1000)])
    expect(await ann.state()).toMatchObject({ ends })
  })
})
