import { copyFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { describe, expect, test } from "vitest"

import { readBootSource } from "../BootSource.ts"
import { Launcher } from "./Launcher.ts"
import { GoLine, type LauncherWord } from "./LauncherMessages.ts"
import { firstUidFor, RoomUids } from "./RoomUids.ts"
import { findWalls, isWalledIn, NodeDescriptor, type Walls } from "./Walls.ts"

const launcherOf = (more: { readonly code?: string; readonly walls?: Partial<Walls> }) => {
  const words: LauncherWord[] = []
  const walls = { setpriv: null, prlimit: null, firstUid: null, opensNode: false, ...more.walls }
  const boot = { code: more.code ?? "", mapperCode: "", vmDataKiB: null }
  const launcher = new Launcher({ nodePath: process.execPath, boot, walls }, (word, handle) => {
    words.push(word)
    handle?.destroy()
  })
  const told = (kind: LauncherWord["word"]): Promise<LauncherWord> =>
    until(kind, () => words.find(({ word }) => word === kind))
  return { launcher, words, told }
}

describe("the launcher", () => {
  test("[C-180] [C-182] a process that the machine does not give is told, and the launcher goes on", async () => {
    // More than a command line may have: the kernel refuses the start itself.
    const { launcher, words, told } = launcherOf({ code: "x".repeat(4 * 1024 ** 2) })
    launcher.take({ order: "start", id: 7, memoryMiB: 64, isDev: false })
    expect(await told("notStarted")).toEqual({
      word: "notStarted",
      id: 7,
      why: expect.stringContaining("E2BIG")
    })
    launcher.take({ order: "hello" })
    expect(words.at(-1)).toMatchObject({ word: "ready", measures: false })
  })

  test("[C-182] a process without a service never begins", async () => {
    // The other ends of its pipes are closed at once, as those of a service that is gone.
    const { launcher, words, told } = launcherOf({ code: "process.exit(70)" })
    launcher.take({ order: "start", id: 1, memoryMiB: 64, isDev: false })
    expect(await told("exited")).toEqual({ word: "exited", id: 1, code: 0, signal: null })
    expect(words.map(({ word }) => word)).toEqual(["pipe", "pipe", "pipe", "started", "exited"])
  })

  test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
    "[C-182] looks at a room's WebAssembly as the room's own user, and is root again",
    async () => {
      const code =
        "globalThis.kept = new WebAssembly.Memory({ initial: 16 }); setInterval(() => {}, 1000)"
      const walls = findWalls(process.execPath, firstUidFor(process.pid, ""))
      expect(walls.setpriv).not.toBeNull()
      const words: LauncherWord[] = []
      const settings = {
        nodePath: process.execPath,
        boot: { code, mapperCode: "", vmDataKiB: null },
        walls
      }
      const launcher = new Launcher(settings, (word, handle) => {
        words.push(word)
        handle?.write("go\n")
      })
      launcher.take({ order: "start", id: 1, memoryMiB: 64, isDev: false })
      const seen = await until("WebAssembly", () => {
        launcher.take({ order: "weigh", id: 1, withCode: false })
        const last = words.at(-1)
        return last?.word === "weighed" && last.mapped?.wasmBytes
          ? last.mapped.wasmBytes
          : undefined
      })
      expect(seen).toBe(16 * 65_536)
      expect([process.geteuid?.(), process.getegid?.()]).toEqual([0, 0])
      launcher.end()
      await until("the end", () => words.find(({ word }) => word === "exited"))
    }
  )

  test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
    "[C-183] the walls hold where a room's user cannot reach Node by its path; Node's file is closed",
    async () => {
      const closed = mkdtempSync(join(tmpdir(), "atrium-closed-"))
      const nodePath = join(closed, "node")
      copyFileSync(process.execPath, nodePath)
      const walls = findWalls(nodePath, firstUidFor(process.pid, ""))
      expect(walls).toMatchObject({ setpriv: expect.any(String), opensNode: true })
      let pid: number | undefined
      const boot = readBootSource(process.execPath)
      const launcher = new Launcher({ nodePath, boot, walls }, (word, handle) => {
        handle?.write(GoLine)
        if (word.word === "started") pid = word.pid
      })
      try {
        launcher.take({ order: "start", id: 1, memoryMiB: 64, isDev: false })
        await until("a room that has closed Node's file", () => {
          if (pid === undefined || readlinkSync(`/proc/${pid}/exe`) !== nodePath) return undefined
          const open = readdirSync(`/proc/${pid}/fd`)
          return open.includes("3") && !open.includes(String(NodeDescriptor)) ? open : undefined
        })
        const status = readFileSync(`/proc/${pid}/status`, "utf8")
        expect(isWalledIn(status, walls.firstUid)).toBe(true)
      } finally {
        launcher.end()
        rmSync(closed, { recursive: true })
      }
    }
  )

  test("[C-182] orders about rooms that are not there do nothing", () => {
    const { launcher, words } = launcherOf({})
    launcher.take({ order: "kill", id: 1 })
    launcher.take({ order: "weigh", id: 1, withCode: true })
    expect(words).toEqual([{ word: "weighed", id: 1, mapped: null }])
  })
})

describe("the users of rooms", () => {
  test("[C-183] every service has 998 of its own for rooms, and every living room one of them", () => {
    expect(firstUidFor(7, "         0          0 4294967295\n")).toBe(100_007_000)
    const uids = new RoomUids(100)
    const given = Array.from({ length: 998 }, (_, id) => uids.take(id))
    expect(new Set(given).size).toBe(998)
    expect([Math.min(...given), Math.max(...given)]).toEqual([100, 1_097])
    expect(uids.of(3)).toBe(103)
    uids.free(3)
    expect(uids.of(3)).toBeNull()
    // The one that is free, wherever the turn is; past 998 living rooms two share one.
    expect(uids.take(1_000)).toBe(103)
    expect(given).toContain(uids.take(1_001))
  })

  test("[C-183] where the machine maps fewer, they are among the last", () => {
    expect(firstUidFor(7, "         0     100000      65536\n")).toBe(63_536)
    expect(firstUidFor(7, "")).toBe(100_007_000)
  })
})

describe("what the kernel says of a process behind the walls", () => {
  const status = (signs: ReadonlyArray<string>): string => `Name:\tcat\n${signs.join("\n")}\n`
  const good = [
    "Uid:\t5\t5\t5\t5",
    "CapPrm:\t0000000000000000",
    "CapBnd:\t0000000000000000",
    "NoNewPrivs:\t1"
  ]

  test("[C-183] all of it holds, or it is no wall", () => {
    expect(isWalledIn(status(good), 5)).toBe(true)
    expect(isWalledIn(status(good.with(0, "Uid:\t5\t5\t0\t5")), 5)).toBe(false)
    expect(isWalledIn(status(good.with(3, "NoNewPrivs:\t0")), 5)).toBe(false)
    expect(isWalledIn("", null)).toBe(false)
  })

  test.runIf(process.getuid?.() === 0)(
    "[C-183] root leaves neither rights nor a way to any",
    () => {
      expect(isWalledIn(status(good.with(1, "CapPrm:\t0000000000000001")), 5)).toBe(false)
      expect(isWalledIn(status(good.with(2, "CapBnd:\t00000000000001e0")), 5)).toBe(false)
    }
  )
})
