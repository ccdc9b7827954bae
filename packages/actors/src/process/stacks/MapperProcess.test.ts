import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { until } from "@atrium/domain/testing/Until"
import { MiB } from "@atrium/wire/limits/Limit"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { makeRoomProcesses, type RoomProcesses } from "../RoomProcesses.ts"
import { threadMs } from "../testing/ThreadTime.ts"
import { bundleOf, isAlive, scriptOf } from "../TestProcesses.ts"
import { splitBundle } from "./BundleMap.ts"

const comment = "//# sourceMappingURL=data:application/json;base64,"
const bombOf = (map: string | Buffer): Uint8Array =>
  scriptOf(`throw new Error("no")\n${comment}${Buffer.from(map).toString("base64")}\n`)
const mapOf = (mappings: string, sources: ReadonlyArray<unknown> = ["../room.ts"]): string =>
  JSON.stringify({ version: 3, sources, names: [], mappings })
const stack = "Error: no\n    at run (room.bundle.js:1:1)"
const fits = LogLimits.sourceMapBytes.max - 200

/** Maps that are as bad as they can be. */
const bombs: ReadonlyArray<readonly [string, () => Uint8Array]> = [
  ["12 million segments", () => bombOf(mapOf("A,".repeat(11.6e6)))],
  ["the most segments that fit", () => bombOf(mapOf("A,".repeat(fits / 2)))],
  ["the most full segments that fit", () => bombOf(mapOf("AAAA,".repeat(fits / 5)))],
  ["the most lines that fit", () => bombOf(mapOf(";".repeat(fits)))],
  ["the most sources that fit", () => bombOf(mapOf("AAAA", Array<number>(fits / 2).fill(1)))],
  ["nested JSON", () => bombOf("[".repeat(fits))],
  ["sections within sections", () => bombOf(sections(200_000))]
]

const sections = (depth: number): string =>
  `{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":`.repeat(depth / 2) +
  mapOf("AAAA") +
  "}]}".repeat(depth / 2)

let processes: RoomProcesses
beforeAll(async () => {
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 0 })
})
afterAll(() => processes.close())

/** The longest work of this thread at a stretch, while something went on: in it nothing else is answered. */
const longestStopMs = async (what: () => Promise<unknown>): Promise<number> => {
  let atMs = threadMs()
  let longestMs = 0
  const timer = setInterval(() => {
    const nowMs = threadMs()
    longestMs = Math.max(longestMs, nowMs - atMs)
    atMs = nowMs
  }, 1)
  await what()
  clearInterval(timer)
  return Math.max(longestMs, threadMs() - atMs)
}

/** Half of what an ordinary bundle took once, on this thread. */
const StopMaxMs = 700

describe("a process that maps stacks", () => {
  test("[D-14] a stack of a bundle names its source, and needs the process once", async () => {
    const bundle = await bundleOf('const no: string = "no"\nthrow new Error(no)')
    expect(await processes.describe(bundle)).toEqual({
      ok: false,
      fault: "bundle",
      message: "room.ts:2:7 Error: no"
    })
    const unmapped = await processes.describe(splitBundle(bundle).code)
    const message = unmapped.ok ? "" : unmapped.message
    const [place] = /^room\.bundle\.js:\d+:\d+/.exec(message) ?? []
    // The refused deployment has asked for it already.
    expect(processes.mapStack(bundle, `Error\n    at ${place}`)).toBe("Error\n    at room.ts:2:7")
  })

  test.each([
    ["no JSON", "{"],
    ["no map", "7"],
    ["nonsense", '{"version":3,"sources":[7],"mappings":"\\u0000!"}']
  ])("[D-14] a map that is %s leaves the stack as it is", async (_, map) => {
    expect(await processes.mapStack(bombOf(map), stack)).toBe(stack)
  })

  test.each(bombs)("[C-171] a bomb neither stops the service nor ends it: %s", async (_, make) => {
    const bomb = make()
    let mapped: string | null = null
    const stopMs = await longestStopMs(async () => {
      mapped = await processes.mapStack(bomb, stack)
    })
    expect(mapped).toMatch(
      /^Error: no\n {4}at run \((?:room\.bundle\.js:1:1|room\.ts:1:1|1:1:1)\)$/
    )
    expect(stopMs).toBeLessThan(StopMaxMs)
  })

  test("[C-171] no process outlives a service that is killed while a bomb is read", async () => {
    const service = spawn(
      process.execPath,
      ["--input-type=module", "--eval", ServiceSource, path],
      {
        stdio: ["ignore", "pipe", "inherit"]
      }
    )
    try {
      await once(service.stdout, "data")
      const mapper = await until("the process that maps", () => mapperOf(service.pid ?? 0))
      const launcher = parentOf(mapper)
      service.kill("SIGKILL")
      await until("the end of both", () => !(isAlive(mapper) || isAlive(launcher)))
    } finally {
      service.kill("SIGKILL")
    }
  })
})

describe.runIf(process.platform === "linux")("who starts the process that maps stacks", () => {
  /** The pid of a mapper that has mapped a stack just now. */
  const running = async (): Promise<number> => {
    const bundle = bombOf(mapOf("AAAA"))
    expect(await processes.mapStack(bundle, stack)).toBe("Error: no\n    at run (room.ts:1:1)")
    const mapper = mapperOf(process.pid)
    if (mapper === undefined) throw new Error("no process maps stacks")
    return mapper
  }

  test("[C-176] it is the launcher, never the service, and its walls are those of a room", async () => {
    const mapper = await running()
    expect(commandOf(parentOf(mapper))).toContain("launcher/main.ts")
    expect(parentOf(parentOf(mapper))).toBe(process.pid)
    expect(commandOf(mapper)).toContain(" --permission ")
    expect(readFileSync(`/proc/${mapper}/environ`, "utf8")).toBe("")
    expect(statusOf(mapper, "NoNewPrivs")).toBe("1")
    const limits = readFileSync(`/proc/${mapper}/limits`, "utf8")
    const { max } = RoomProcessLimits.roomDescriptors
    expect(limits).toMatch(new RegExp(`^Max open files +${max} +${max} `, "m"))
    expect(limits).toMatch(/^Max core file size +0 +0 /m)
  })

  test("[C-176] a launcher that ends leaves stacks as they are, and the next one maps again", async () => {
    const own = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 0 })
    try {
      const others = mapperOf(process.pid)
      const mapsAgain = async (): Promise<void> => {
        const bundle = bombOf(mapOf("AAAA"))
        expect(await own.mapStack(bundle, stack)).toBe("Error: no\n    at run (room.ts:1:1)")
      }
      await mapsAgain()
      const mapper = mapperOf(process.pid, others) ?? 0
      const mapped = own.mapStack(bombOf(mapOf("A,".repeat(fits / 2))), stack)
      const known = new Set(launchersOf(process.pid))
      process.kill(parentOf(mapper), "SIGKILL")
      expect(await mapped).toBe(stack)
      await until("the next launcher", () =>
        launchersOf(process.pid).find((pid) => !known.has(pid))
      )
      await mapsAgain()
    } finally {
      await own.close()
    }
  })
})

const path = fileURLToPath(new URL("../RoomProcesses.ts", import.meta.url))

/** A service that maps the stacks of one bomb after another. */
const ServiceSource = `
  const { makeRoomProcesses } = await import(process.argv[1])
  const processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 0 })
  const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: "A,".repeat(2 * ${MiB}) })
  const comment = ${JSON.stringify(comment)} + Buffer.from(map).toString("base64")
  for (let bomb = 0; bomb < 10; bomb++) {
    void processes.mapStack(Buffer.from("run()\\n" + comment), ${JSON.stringify(stack)})
  }
  console.log("maps")
`

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

const statusOf = (pid: number, name: string): string =>
  new RegExp(`^${name}:[ \\t]*(.*?)\\s*$`, "m").exec(
    readFileSync(`/proc/${pid}/status`, "utf8")
  )?.[1] ?? ""

const parentOf = (pid: number): number => Number(statusOf(pid, "PPid"))

/** Processes of which this is so, as far as they are there long enough to tell. */
const pidsWhere = (holds: (pid: number) => boolean): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return holds(pid)
      } catch {
        return false
      }
    })

const launchersOf = (service: number): ReadonlyArray<number> =>
  pidsWhere((pid) => commandOf(pid).includes("launcher/main.ts") && parentOf(pid) === service)

/** The process that maps stacks for a service, beside another one's of the same process. */
const mapperOf = (service: number, other?: number): number | undefined =>
  pidsWhere(
    (pid) =>
      pid !== other && commandOf(pid).includes("mapBytes") && parentOf(parentOf(pid)) === service
  )[0]
