import { availableParallelism, loadavg } from "node:os"

import { Servers } from "@atrium/api/testing/load/Servers"
import { Misused, runTool, switchFlag } from "@atrium/api/testing/ToolCommand"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { isReached, ratioOf, rawOf, valueOf, type Workload, Workloads } from "./Figure.ts"
import { installPeers, PeersMissing } from "./peers/InstallPeers.ts"
import { run } from "./Run.ts"
import type { Extent } from "./Sizes.ts"
import { formatTable } from "./Table.ts"
import { verdictOf } from "./Verdict.ts"

interface BenchInput {
  readonly only: ReadonlyArray<Workload>
  readonly extent: Extent
  readonly json: boolean
  readonly strict: boolean
  readonly peers: boolean
}

const bench = async (asked: BenchInput): Promise<void> => {
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
  const peersFolder = asked.peers ? await installPeers(progress) : null
  const measured = await run({ servers, peersFolder, progress }, asked.only, asked.extent)
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
}

/** A fault that a person can act on is one line without a stack. */
const sayMissing = (error: unknown): void => {
  if (!(error instanceof PeersMissing)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

const isWorkload = (name: string): name is Workload => Workloads.some((known) => known === name)

const workloadsIn = (text: string): Option.Option<ReadonlyArray<Workload>> => {
  const asked = text.split(",")
  return asked.every(isWorkload)
    ? Option.some(Workloads.filter((name) => asked.includes(name)))
    : Option.none()
}

/** `npm run bench`: what the service costs beside a server of plain `ws`, in the same run. */
const command = Command.make(
  "bench",
  {
    only: Flag.String("only").pipe(
      Flag.filterMap(workloadsIn, () => `Expected some of ${Workloads.join(",")}`),
      Flag.withDescription("These workloads alone: W1,W3"),
      Flag.withDefault(Workloads)
    ),
    quick: switchFlag("quick").pipe(
      Flag.withDescription("Small sizes: proves that everything runs, its figures mean little")
    ),
    thorough: switchFlag("thorough").pipe(
      Flag.withDescription(
        "W3 beside up to 2,000 rooms, too: a quarter of an hour more, and all memory but 3 GiB; " +
          "a size that does not fit is left out, and is named"
      )
    ),
    json: switchFlag("json").pipe(Flag.withDescription("One JSON document on standard output")),
    strict: switchFlag("strict").pipe(Flag.withDescription("Exit 1 when a goal is missed")),
    peers: switchFlag("peers").pipe(
      Flag.withDescription(
        "W1 to W4 beside Colyseus and socket.io, too: npm installs them into node_modules/.cache"
      )
    )
  },
  Effect.fnUntraced(function* ({ only, quick, thorough, json, strict, peers }) {
    if (quick && thorough) {
      return yield* new Misused({ message: "--quick and --thorough exclude each other" })
    }
    if (process.platform !== "linux") {
      return yield* new Misused({
        message: "The bench reads CPU and memory from /proc: it runs on Linux only"
      })
    }
    const extent = quick ? "quick" : thorough ? "thorough" : "full"
    yield* Effect.promise(() => bench({ only, extent, json, strict, peers }).catch(sayMissing))
  })
).pipe(Command.withDescription("Measure the service beside a server of plain ws"))

process.exitCode = (await runTool(command, process.argv.slice(2))) || process.exitCode
