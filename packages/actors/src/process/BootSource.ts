import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { KiB } from "@atrium/wire/limits/Limit"

import { parseStatus } from "./ProcessMemory.ts"

/** The facts that a fresh Node process told about itself. */
export interface BootSource {
  /** `boot.ts` without its types, and its parts within it: a module for `--eval`. */
  readonly code: string
  /** `mapper.ts` without its types. */
  readonly mapperCode: string
  /** VmData of a process that has done nothing, in KiB; `null` where `/proc` does not tell of memory. */
  readonly vmDataKiB: number | null
}

/** The warning for an operator whose system cannot keep rooms within their memory. */
export const NoMeansNotice =
  "this system neither limits nor tells the memory of processes: a room's heap is limited, and it " +
  `is asked for its memory every ${RoomProcessLimits.roomSelfWeigh.ms / 1000} s; WebAssembly does not count`

// In a process of its own: stripping types warns on stderr, and costs memory that the service keeps.
const Probe = String.raw`
  import { readFileSync } from "node:fs"
  import { stripTypeScriptTypes } from "node:module"
  let status = ""
  try { status = readFileSync("/proc/self/status", "utf8") } catch {}
  const [mapperPath, ...bootPaths] = process.argv.slice(1)
  const strip = (path) => {
    const text = readFileSync(path, "utf8")
    // To load what strips types takes longer than all else here.
    return path.endsWith(".ts") ? stripTypeScriptTypes(text) : text
  }
  // One module: a second one costs each room 5 ms and 1 MiB.
  const part = (path) =>
    strip(path).replaceAll(/^export /gm, "").replaceAll(/^import [^"]* from "\.\/Boot\w+\.[tj]s";?$/gm, "")
  const code = bootPaths.map(part).join("\n")
  process.stdout.write(JSON.stringify({ code, mapperCode: strip(mapperPath), status }))
`

const ProbeMs = 20_000

/**
 * Prepares boot and `mapper.ts`, and measures what V8 reserves at the start, once per service:
 * they depend on the build of Node only. Blocks for about 100 ms. Throws an `Error` when Node does not start.
 */
export const readBootSource = (nodePath: string): BootSource => {
  const parts = [
    new URL("./stacks/mapper.ts", import.meta.url),
    import.meta.resolve("@atrium/runtime/boot/BootWalls"),
    import.meta.resolve("@atrium/runtime/boot/BootRealm"),
    import.meta.resolve("@atrium/runtime/boot/BootShared"),
    import.meta.resolve("@atrium/runtime/boot/boot")
  ].map((part) => fileURLToPath(part))
  const flags = ["--no-warnings", "--input-type=module", "--eval", Probe, ...parts]
  const run = spawnSync(nodePath, flags, { env: {}, encoding: "utf8", timeout: ProbeMs })
  if (run.status !== 0) {
    throw new Error(`${nodePath}: cannot run rooms: ${run.error?.message ?? run.stderr.trim()}`)
  }
  // Written by the probe.
  const told = JSON.parse(run.stdout) as Omit<BootSource, "vmDataKiB"> & { readonly status: string }
  const memory = parseStatus(told.status)
  const { code, mapperCode } = told
  return { code, mapperCode, vmDataKiB: memory === null ? null : memory.dataBytes / KiB }
}
