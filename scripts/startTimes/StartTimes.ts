import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"

import { extract } from "tar"

import { areFresh, makePackages } from "../packages/MakePackages.ts"
import { repository, tarballFolder } from "../packages/Places.ts"

/** Most that a start of the command may take, as a multiple of `node -e 0`. */
export const timesMax = 4

/** How long starts take, beside `node -e 0`. */
export interface StartTimes {
  readonly name: string
  /** Mean of user and system time, in milliseconds. */
  readonly cpuMs: number
  /** Median, in milliseconds. */
  readonly wallMs: number
  /** CPU, as a multiple of that of `node -e 0` in the same run. */
  readonly times: number
  /** Whether {@link timesMax} is its goal: the start alone, not the work of the command. */
  readonly judged: boolean
}

const project = ["--project", "p_0123456789abcdef", "--url", "http://127.0.0.1:9"]

/** The command lines; the last one asks a service, at an address where nothing answers. */
const lines: ReadonlyArray<readonly [name: string, argv: ReadonlyArray<string>, judged: boolean]> =
  [
    ["atrium --version", ["--version"], true],
    ["atrium --help", ["--help"], true],
    ["atrium explain E_ROOM_FULL", ["explain", "E_ROOM_FULL"], true],
    ["atrium rooms --help", ["rooms", "--help"], true],
    ["atrium rooms", ["rooms", ...project], false]
  ]

/** Starts the packed command again and again, each line in turn, after one start that compiles it. */
export const measureStarts = async (rounds: number): Promise<ReadonlyArray<StartTimes>> => {
  if (!areFresh()) await makePackages()
  // Below node_modules, where its dependencies are found.
  const folder = mkdtempSync(join(repository, "node_modules", ".atrium-start-"))
  try {
    await extract({ file: join(tarballFolder, "cli.tgz"), cwd: folder })
    const program = join(folder, "package/dist/atrium.js")
    const starts = [
      { name: "node -e 0", argv: ["-e", "0"], judged: false },
      ...lines.map(([name, argv, judged]) => ({ name, argv: [program, ...argv], judged }))
    ].map((start) => ({ ...start, cpuMs: new Array<number>(), wallMs: new Array<number>() }))
    for (let round = 0; round <= rounds; round++) {
      for (const { argv, cpuMs, wallMs } of starts) {
        const took = startOnce(argv, folder)
        if (round === 0) continue
        cpuMs.push(took.cpuMs)
        wallMs.push(took.wallMs)
      }
    }
    const bareMs = mean(starts[0]?.cpuMs ?? [])
    return starts.map(({ name, judged, cpuMs, wallMs }) => ({
      name,
      judged,
      cpuMs: mean(cpuMs),
      wallMs: wallMs.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0,
      times: mean(cpuMs) / bareMs
    }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const startOnce = (argv: ReadonlyArray<string>, home: string) => {
  const [cpuBeforeMs, beforeMs] = [cpuOfChildrenMs(), performance.now()]
  const { status } = spawnSync(process.execPath, argv, {
    env: { HOME: home, SERVICE_API_KEY: `rk_${"k".repeat(43)}`, NO_COLOR: "1" }
  })
  const wallMs = performance.now() - beforeMs
  // Refused, as nothing answers.
  if (status !== 0 && status !== 1) throw new Error(`${argv.join(" ")}: ended with ${status}`)
  return { cpuMs: cpuOfChildrenMs() - cpuBeforeMs, wallMs }
}

/** CPU of all children that have ended. Linux counts it in hundredths of a second: only a mean is fine. */
const cpuOfChildrenMs = (): number => {
  const [, counts = ""] = readFileSync("/proc/self/stat", "utf8").split(") ")
  const [user, system] = counts.split(" ").slice(13, 15)
  return (Number(user) + Number(system)) * 10
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** A table for people. */
export const startsText = (starts: ReadonlyArray<StartTimes>): string =>
  starts
    .map(({ name, cpuMs, wallMs, times }) =>
      [
        name.padEnd(28),
        `${cpuMs.toFixed(0).padStart(5)} ms CPU`,
        `${wallMs.toFixed(0).padStart(5)} ms`,
        `${times.toFixed(1).padStart(5)} ×`
      ].join("  ")
    )
    .join("\n")
