import { readdirSync, readFileSync } from "node:fs"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { until } from "@atrium/domain/testing/Until"
import { afterEach, expect, test, vi } from "vitest"

import type { ProcessEnd } from "../ExitCause.ts"
import { LauncherLink } from "./LauncherLink.ts"

afterEach(() => {
  vi.useRealTimers()
})

const launchersHere = (): ReadonlyArray<number> =>
  readdirSync(`/proc/${process.pid}/task`)
    .flatMap((task) =>
      (readFileSync(`/proc/${process.pid}/task/${task}/children`, "utf8").match(/\d+/g) ?? []).map(
        Number
      )
    )
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("launcher/main.ts"))

/** Orders a room process now: its pid, or how it ended. */
const askedFor = (link: LauncherLink) =>
  new Promise<number | Partial<ProcessEnd>>((resolve) => {
    link.start(
      { memoryMiB: 64, isDev: false },
      {
        started: (pid, pipes) => {
          for (const pipe of Object.values(pipes)) pipe.destroy()
          resolve(pid)
        },
        ended: resolve
      }
    )
  })

test.runIf(process.platform === "linux")(
  "[C-184] a launcher that has ended is started again when its time is over, and not before",
  async () => {
    const others = new Set(launchersHere())
    const own = () => launchersHere().filter((pid) => !others.has(pid))
    const notices: string[] = []
    const link = new LauncherLink({
      nodePath: process.execPath,
      dropToUid: null,
      onNotice: (line) => notices.push(line)
    })
    await link.open()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    for (const pid of own()) process.kill(pid, "SIGKILL")
    await until("its end", () => notices.find((line) => line.includes("it is started again")))
    vi.advanceTimersByTime(RoomProcessLimits.launcherRestart.ms - 1)
    expect(own()).toEqual([])
    expect(await askedFor(link)).toMatchObject({ notStarted: "there is no launcher just now" })
    vi.advanceTimersByTime(1)
    // Its command line is there a moment after it is.
    await until("the next one", () => own()[0])
    vi.useRealTimers()
    expect(await askedFor(link)).toBeGreaterThan(0)
    await link.close()
  }
)
