import { mediaProcessesOf, roomProcessesOf, signalAll } from "@atrium/api/testing/ProcessTree"
import { holderFirst, startRunner } from "@atrium/api/testing/Runners"
import { call, deploy, makeHome, type ServiceHome } from "@atrium/api/testing/RunningService"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { chromiumPath } from "./browser/Chromium.ts"
import { hears, hearsNothing, leavesGroupOf, makeTalkers, silenceAfter } from "./voice/Talkers.ts"

const executablePath = chromiumPath("A call that is handed over")

describe.skipIf(executablePath === null)("two browsers on a service of two runners", () => {
  let home: ServiceHome
  let talkers: Awaited<ReturnType<typeof makeTalkers>> | null = null

  beforeAll(async () => {
    home = await makeHome()
  })

  afterAll(async () => {
    await talkers?.end()
    await home.remove()
  })

  it("[C-890] hear each other again within 5 s after their room has moved to the other runner, a kill of its media process, and a crash of the room", async () => {
    const runners = [await startRunner(home), await startRunner(home)] as const
    const [{ url, token }] = runners
    const made = await call(url, "/v1/projects", { token, body: { name: "voice" } })
    const project = String(made.body["id"])
    const folder = `${import.meta.dirname}/voice`
    expect(await deploy({ url, token, project }, ["talk.ts"], folder)).toMatchObject({
      status: 201
    })
    talkers = await makeTalkers(executablePath ?? "")
    const first = await talkers.open(1000, { url, project, roomId: "parlour" })
    const [holder, other] = await holderFirst(runners)
    if (other === undefined) throw new Error("no second runner")
    await first.page.close()
    // Both come by the runner that stays: they lose the room, not their connection.
    const to = { url: other.url, project, roomId: "parlour" }
    const [bob, cleo] = [await talkers.open(440, to), await talkers.open(800, to)]
    await Promise.all([bob.talk(), cleo.talk()])
    await Promise.all([hears(bob, 800), hears(cleo, 440)])
    const silenceMs = await silenceAfter(() => void holder.stop(), [bob, 800], [cleo, 440])
    console.log(`Without sound for ${Math.round(silenceMs)} ms.`)
    expect(silenceMs).toBeLessThan(5000)

    const kill = () => signalAll(mediaProcessesOf(other.pid), "SIGKILL")
    const killedMs = await silenceAfter(kill, [bob, 800], [cleo, 440])
    console.log(`Without sound for ${Math.round(killedMs)} ms after the media process was killed.`)
    expect(killedMs).toBeLessThan(5000)

    signalAll(roomProcessesOf(other.pid), "SIGKILL")
    const crashedAtMs = performance.now()
    await hears(cleo, 440)
    await leavesGroupOf(bob, cleo)
    await hearsNothing(bob)
    const crashedMs = performance.now() - crashedAtMs
    console.log(`The groups hold ${Math.round(crashedMs)} ms after the room has crashed.`)
    expect(crashedMs).toBeLessThan(5000)
  })
})
