import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { Limits, MiB } from "@atrium/domain/Limits"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { splitBundle } from "./BundleMap.ts"
import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, scriptOf, until } from "./TestProcesses.ts"

const comment = "//# sourceMappingURL=data:application/json;base64,"
const bombOf = (map: string | Buffer): Uint8Array =>
  scriptOf(`throw new Error("no")\n${comment}${Buffer.from(map).toString("base64")}\n`)
const mapOf = (mappings: string, sources: ReadonlyArray<unknown> = ["../room.ts"]): string =>
  JSON.stringify({ version: 3, sources, names: [], mappings })
const stack = "Error: no\n    at run (room.bundle.js:1:1)"
const fits = Limits.sourceMapBytes.max - 200

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

/** The longest time that this thread stood still while something went on. */
const longestStopMs = async (what: () => Promise<unknown>): Promise<number> => {
  let atMs = performance.now()
  let longestMs = 0
  const timer = setInterval(() => {
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, nowMs - atMs)
    atMs = nowMs
  }, 1)
  await what()
  clearInterval(timer)
  return Math.max(longestMs, performance.now() - atMs)
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

  test.each(bombs)(
    "[C-171] a bomb neither stops the service nor ends it: %s",
    async (_, make) => {
      const bomb = make()
      let mapped: string | null = null
      const stopMs = await longestStopMs(async () => {
        mapped = await processes.mapStack(bomb, stack)
      })
      expect(mapped).toMatch(
        /^Error: no\n {4}at run \((?:room\.bundle\.js:1:1|room\.ts:1:1|1:1:1)\)$/
      )
      expect(stopMs).toBeLessThan(StopMaxMs)
    },
    30_000
  )

  test("[C-171] a refused deployment with a bomb does not stop the service", async () => {
    const bomb = bombOf(mapOf("A,".repeat(11.6e6)))
    let description: unknown
    const stopMs = await longestStopMs(async () => {
      description = await processes.describe(bomb)
    })
    expect(description).toEqual({
      ok: false,
      fault: "bundle",
      message: "room.bundle.js:1:7 Error: no"
    })
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
    await once(service.stdout, "data")
    const pid = service.pid ?? 0
    const children = await until(() => {
      const found = childrenOf(pid)
      // The launcher of the rooms, and the process that maps.
      return found.length === 2 ? found : undefined
    }, "the process that maps")
    service.kill("SIGKILL")
    await until(() => !children.some(isAlive) || undefined, "the end of all")
  })
})

const path = fileURLToPath(new URL("./RoomProcesses.ts", import.meta.url))

/** A service that maps the stacks of one bomb after another. */
const ServiceSource = `
  const { makeRoomProcesses } = await import(process.argv[1])
  const processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 0 })
  const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: "A,".repeat(2 * ${MiB}) })
  const comment = ${JSON.stringify(comment)} + Buffer.from(map).toString("base64")
  for (let bomb = 0; bomb < 60; bomb++) {
    void processes.mapStack(Buffer.from("run()\\n" + comment), ${JSON.stringify(stack)})
  }
  console.log("maps")
`

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
