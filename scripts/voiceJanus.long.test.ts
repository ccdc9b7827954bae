import { mediaProcessesOf, signalAll } from "@atrium/api/testing/ProcessTree"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import {
  janusHere,
  type JanusUnderTest,
  startJanus
} from "@atrium/voice/janus/testing/JanusUnderTest"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { chromiumPath } from "./browser/Chromium.ts"
import {
  type BrowserTalker,
  hears,
  hearsNothing,
  makeTalkers,
  silenceAfter
} from "./voice/Talkers.ts"

const executablePath = chromiumPath("A call through Janus")

describe.skipIf(executablePath === null || janusHere() === null)(
  "two browsers on a service whose calls Debian's Janus carries",
  () => {
    let janus: JanusUnderTest | null = null
    let home: ServiceHome | null = null
    let service: RunningService
    let talkers: Awaited<ReturnType<typeof makeTalkers>> | null = null
    let ann: BrowserTalker
    let bob: BrowserTalker

    beforeAll(async () => {
      janus = await startJanus(41_891)
      home = await makeHome()
      service = await home.start({
        env: { ATRIUM_VOICE_URL: janus.url, ATRIUM_VOICE_SECRET: janus.secret }
      })
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
      await home?.remove()
      janus?.end()
    })

    it("[C-899] hear each other, to a bin of the FFT", async () => {
      await Promise.all([ann.talk(), bob.talk()])
      await Promise.all([hears(ann, 440), hears(bob, 1000)])
      const [one, two] = await Promise.all([ann.state(), bob.state()])
      expect(new Set(one.participants)).toEqual(new Set([one.sessionId, two.sessionId]))
      expect([one.speakers, two.speakers]).toEqual([[two.sessionId], [one.sessionId]])
    })

    it("[C-899] hear nobody who is muted, or in another group", async () => {
      await bob.does("mute", true)
      await hearsNothing(ann)
      await bob.does("mute", false)
      await hears(ann, 440)
      await bob.does("team", "red")
      await Promise.all([hearsNothing(ann), hearsNothing(bob)])
      await ann.does("team", "red")
      await Promise.all([hears(ann, 440), hears(bob, 1000)])
    })

    it("[C-899] hear each other again within 5 s after the process that talks with Janus was killed", async () => {
      const kill = () => signalAll(mediaProcessesOf(service.pid), "SIGKILL")
      expect(await silenceAfter(kill, [ann, 440], [bob, 1000])).toBeLessThan(5000)
    })
  }
)
