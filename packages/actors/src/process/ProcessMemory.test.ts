import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { KiB, MiB } from "@atrium/wire/limits/Limit"
import { describe, expect, test } from "vitest"

import {
  mappedBytesOf,
  memoryOf,
  pageBytesOf,
  parseCodeBytes,
  parseStatm,
  parseStatus,
  parseWasmBytes,
  readBounded
} from "./ProcessMemory.ts"

/**
 * Looks at a process that has run this and rests. The process of the tests collects its garbage when it likes, also between
 * two looks.
 */
const atRest = async <A>(program: string, look: (pid: number) => A): Promise<A> => {
  const rests = `${program}; process.stdout.write("done"); process.stdin.resume()`
  const child = spawn(process.execPath, ["-e", rests])
  try {
    await once(child.stdout, "data")
    return look(child.pid ?? 0)
  } finally {
    child.kill()
  }
}

/** Memories of WebAssembly, which are mapped anew, that are kept. */
const keepsMemories = (pages: ReadonlyArray<number>): string =>
  `globalThis.kept = [${pages.join()}].map((initial) => new WebAssembly.Memory({ initial }))`

const Status = "Name:\tnode\nVmSize:\t 1300000 kB\nRssAnon:\t   12000 kB\nVmData:\t  575000 kB\n"

describe("the memory of a process", () => {
  test("[memory.ceiling-counts-all] is read from its status", () => {
    expect(parseStatus(Status)).toEqual({
      anonBytes: 12_000 * 1024,
      dataBytes: 575_000 * 1024,
      sizeBytes: 1_300_000 * 1024
    })
  })

  test.each(["RssAnon", "VmData", "VmSize"])(
    "[C-40] a system that does not tell %s tells nothing",
    (name) => {
      expect(parseStatus(Status.replace(name, "Other"))).toBe(null)
    }
  )

  const Statm = "325000 15000 12000 50 0 144000 0\n"

  test("[C-941] reads the same from the line of numbers, in pages", () => {
    expect(pageBytesOf(Status, Statm)).toBe(4096)
    expect(parseStatm(Statm, 4096)).toEqual({
      anonBytes: 3000 * 4096,
      dataBytes: 144_000 * 4096,
      sizeBytes: 325_000 * 4096
    })
    // The same process on a system with pages of 64 KiB.
    expect(pageBytesOf(Status, "20313 938 750 4 0 9000 0\n")).toBe(64 * KiB)
  })

  test.each([
    ["has no shared pages", "325000 15000 0 50 0 144000 0\n"],
    ["has no data", "325000 15000 12000 50 0 0 0\n"],
    ["ends early", "325000 15000"],
    ["is not there", ""]
  ])("[C-941] does not take a line of numbers that %s", (_, statm) => {
    expect(pageBytesOf(Status, statm)).toBe(null)
  })

  test.runIf(process.platform === "linux")(
    "[C-941] agrees with the long text about a process at rest, 100 MiB that it wrote included",
    async () => {
      const writes = "kept.forEach(({ buffer }) => new Uint8Array(buffer).fill(1))"
      const { read, told } = await atRest(`${keepsMemories([1600])}; ${writes}`, (pid) => ({
        read: memoryOf(pid),
        told: parseStatus(readFileSync(`/proc/${pid}/status`, "utf8"))
      }))
      if (read === null || told === null) throw new Error("nothing is told")
      expect(read.anonBytes).toBeGreaterThan(100 * MiB)
      for (const name of ["anonBytes", "dataBytes", "sizeBytes"] as const)
        expect(Math.abs(read[name] - told[name])).toBeLessThan(4 * MiB)
    }
  )

  test("[C-40] a process that is gone has none", () => {
    expect(memoryOf(2 ** 30)).toBe(null)
    expect(mappedBytesOf(2 ** 30, true)).toBe(null)
  })

  test("[memory.ceiling-counts-all] WebAssembly memories are the starts of huge reservations", () => {
    const maps = [
      "7f0000000000-7f0006400000 rw-p 00000000 00:00 0",
      "7f1000000000-7f1001000000 rw-p 00000000 00:00 0",
      "7f1001000000-7f1200000000 ---p 00000000 00:00 0",
      "7f1200000000-7f1202000000 rw-p 00000000 00:00 0",
      "7f1202000000-7f1400000000 ---p 00000000 00:00 0",
      "7f1500000000-7f1501000000 rw-p 00000000 00:00 0",
      "7f1600000000-7f1800000000 ---p 00000000 00:00 0",
      "7f2000000000-7f2000021000 rw-p 00000000 00:00 0",
      "7f2000021000-7f2004000000 ---p 00000000 00:00 0"
    ]
    // The first has no reservation after it, the fourth not its own, the last too small a one.
    expect(parseWasmBytes(maps.join("\n"))).toBe(48 * MiB)
  })

  test.runIf(process.platform === "linux")(
    "[memory.ceiling-counts-all] finds the WebAssembly memories of this V8, touched or not",
    async () => {
      const wasmBytes = (pid: number) => mappedBytesOf(pid, false)?.wasmBytes ?? Number.NaN
      const [none, two] = [
        await atRest("", wasmBytes),
        await atRest(keepsMemories([256, 256]), wasmBytes)
      ]
      expect(two - none).toBe(32 * MiB)
    }
  )

  test("[C-865] counts resident memory of executable mappings without a file as compiled code", () => {
    const details = [
      "7f0000000000-7f0020000000 rwxp 00000000 00:00 0",
      "Size:             524288 kB",
      "Rss:                6144 kB",
      "Pss:                6144 kB",
      "7f1000000000-7f1000100000 r-xp 00000000 00:00 0 ",
      "Rss:                1024 kB",
      "7f1100000000-7f1100100000 rw-p 00000000 00:00 0",
      "Rss:                1024 kB",
      "7f1200000000-7f1200100000 r-xp 00000000 08:01 77                 /usr/bin/node",
      "Rss:                1024 kB",
      "7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0                  [vdso]",
      "Rss:                   8 kB"
    ]
    expect(parseCodeBytes(details.join("\n"))).toBe(7 * MiB)
  })

  test.runIf(process.platform === "linux")("[C-865] finds compiled code of this V8", async () => {
    const { coded, plain } = await atRest(keepsMemories([256]), (pid) => ({
      coded: mappedBytesOf(pid, true),
      plain: mappedBytesOf(pid, false)
    }))
    expect(coded?.codeBytes).toBeGreaterThan(0)
    expect(coded?.codeBytes).toBeLessThan(128 * MiB)
    expect(plain).toEqual({ wasmBytes: coded?.wasmBytes, codeBytes: 0 })
  })

  test.each([10, 256 * KiB, 256 * KiB + 1, 600 * KiB])(
    "[C-865] reads a text of %i bytes, and none that is one byte longer than it may be",
    async (bytes) => {
      const folder = await mkdtemp(join(tmpdir(), "atrium-bounded-"))
      try {
        const file = join(folder, "smaps")
        const text = "Rss: 7 kB\n".repeat(bytes).slice(0, bytes)
        await writeFile(file, text)
        expect(readBounded(file, bytes)).toBe(text)
        expect(readBounded(file, bytes - 1)).toBe(null)
      } finally {
        await rm(folder, { recursive: true })
      }
    }
  )

  test.runIf(process.platform === "linux")(
    "[C-865] a process with more mappings than are read tells neither its WebAssembly nor its code",
    () => {
      const memories: Array<WebAssembly.Memory> = []
      const { max } = RoomProcessLimits.smapsBytes
      const tells = () => mappedBytesOf(process.pid, true) !== null
      expect(tells()).toBe(true)
      while (tells() && memories.length < 8000) {
        for (let each = 0; each < 500; each++) memories.push(new WebAssembly.Memory({ initial: 1 }))
      }
      expect(readFileSync("/proc/self/smaps").length).toBeGreaterThan(max)
      expect(mappedBytesOf(process.pid, false)?.wasmBytes).toBeGreaterThanOrEqual(
        memories.length * 64 * KiB
      )
    }
  )
})
