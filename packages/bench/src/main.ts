import { availableParallelism, loadavg } from "node:os"

import { Servers } from "@atrium/api/testing/load/Servers"

import { readArguments, usage } from "./Arguments.ts"
import { isReached, ratioOf, rawOf, valueOf } from "./Figure.ts"
import { run } from "./Run.ts"
import { formatTable } from "./Table.ts"
import { verdictOf } from "./Verdict.ts"

// npm run bench: what the service costs beside a server of plain `ws`, in the same run.

const asked = readArguments(process.argv.slice(2))
if (typeof asked === "string") {
  process.stderr.write(`${asked}\n`)
  process.exit(2)
}
if (asked.help) {
  process.stdout.write(usage)
  process.exit(0)
}
if (process.platform !== "linux") {
  process.stderr.write("The bench reads CPU and memory from /proc: it runs on Linux only.\n")
  process.exit(2)
}

const servers = new Servers()
let ending = false
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (ending) return
    ending = true
    process.stderr.write("bench: ending what was started\n")
    // Whatever waits for those servers fails now, and nobody wants to hear of it.
    void servers.end().finally(() => process.exit(130))
  })
}

const startedAtMs = performance.now()
const elapsedSeconds = (): number => Math.round((performance.now() - startedAtMs) / 1000)
const progress = (line: string): void => {
  if (!ending) process.stderr.write(`${String(elapsedSeconds()).padStart(4)} s  ${line}\n`)
}
const loadBefore = loadavg()[0] ?? 0
const measured = await run({ servers, progress }, asked.only, asked.extent)
// After a signal the process ends in its handler; no table of half a run is shown.
if (!ending) {
  const verdict = verdictOf(measured, asked.strict)
  const machine = {
    node: process.version,
    cores: availableParallelism(),
    loadBefore,
    seconds: elapsedSeconds()
  }
  const workloads = measured.map(({ figures, ...rest }) => ({
    ...rest,
    figures: figures.map((figure) => ({
      ...figure,
      value: valueOf(figure),
      raw: rawOf(figure),
      ratio: ratioOf(figure),
      reached: isReached(figure)
    }))
  }))
  const document = { verdict: verdict.says, extent: asked.extent, ...machine, workloads }
  const busy = loadBefore > machine.cores / 2 ? "; the machine was busy: trust ratios alone" : ""
  const about =
    `${machine.cores} cores, Node ${machine.node}, load ${loadBefore.toFixed(1)} before, ` +
    `${machine.seconds} s${asked.extent === "quick" ? "; quick: the figures mean little" : busy}`
  process.stdout.write(
    asked.json
      ? `${JSON.stringify(document, null, 2)}\n`
      : `${formatTable(measured)}\n\n${about}\n${verdict.says}\n`
  )
  process.exitCode = verdict.exitCode
}
