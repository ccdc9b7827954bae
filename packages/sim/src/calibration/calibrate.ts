import { availableParallelism, cpus, totalmem } from "node:os"

import { Clock, Console, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { misused } from "../SimulateFailure.ts"
import { stopAsked } from "../StopAsked.ts"
import {
  type Bench,
  extents,
  measureIdle,
  measureLatency,
  measureMessages,
  measureTicks,
  measureRound,
  measureMemory
} from "./Measure.ts"
import { measuredCalibration, uncertain } from "./MeasuredCalibration.ts"
import { calibrationRooms, cloneAround, startOwnService } from "./OwnService.ts"
import { Samples } from "./Samples.ts"
import { Seats } from "./Seats.ts"

/** `atrium sim calibrate`: what one of each thing costs on this machine. */
export const calibrate = Command.make(
  "calibrate",
  {
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("File to write, such as calibration.json; default: standard output"),
      Flag.optional
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Replace the file if it is there"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    quick: Flag.Boolean("quick").pipe(
      Flag.withDescription("Two minutes in place of eleven: fewer rounds, more noise"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("What the machine is called; default: its processor"),
      Flag.optional
    )
  },
  Effect.fn("atrium.sim.calibrate")(function* ({ out, force, quick, name }) {
    const path = Option.getOrNull(out)
    const fs = yield* FileSystem.FileSystem
    if (path !== null && !force && (yield* Effect.orDie(fs.exists(path)))) {
      return yield* misused(`${path}: is there already; --force replaces it`)
    }
    const clone = yield* ownClone
    const samples = yield* Effect.raceFirst(measured(clone, quick ? "quick" : "full"), stopped)
    const far = uncertain(samples)
    if (far.length > 0) {
      yield* Console.error(
        `samples are far apart, as the machine had other work or little time: ${far.join(", ")}`
      )
    }
    const calibration = yield* calibrationOf(samples, Option.getOrNull(name))
    const text = JSON.stringify(calibration, null, 2)
    if (path === null) return yield* Console.log(text)
    yield* Effect.mapError(
      fs.writeFileString(path, `${text}\n`, { flag: force ? "w" : "wx" }),
      ({ message }) => misused(`${path}: ${message}`)
    )
    yield* Console.error(`${path}: written; \`atrium sim plan --calibration ${path}\` reads it`)
  })
).pipe(
  Command.withDescription("Measure what rooms and players cost on this machine"),
  Command.withExamples([{ command: "atrium sim calibrate --quick --out calibration.json" }])
)

/** The clone that a service of one's own is started from. */
export const ownClone = Effect.suspend(() => {
  if (process.platform !== "linux") {
    return misused("CPU and memory are read from /proc: this runs on Linux only")
  }
  const clone = cloneAround(process.cwd()) ?? cloneAround(import.meta.dirname)
  if (clone !== null) return Effect.succeed(clone)
  return misused(`${process.cwd()}: is in no clone of Atrium, and a service is started from one`)
})

/** The figures as those of this machine. @param name of it; `null` = that of its processor */
export const calibrationOf = Effect.fnUntraced(function* (samples: Samples, name: string | null) {
  const nowMs = yield* Clock.currentTimeMillis
  return measuredCalibration(samples, {
    name: name ?? cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    measuredOn: new Date(nowMs).toISOString().slice(0, 10)
  })
})

/** Half of a calibration is none. */
export const stopped = Effect.andThen(
  stopAsked,
  Effect.suspend(() => misused("stopped before its end"))
)

/** Measures a service of its own, and says on standard error how far it is. */
export const measured = Effect.fnUntraced(function* (clone: string, size: keyof typeof extents) {
  const startedAtMs = performance.now()
  const say = (text: string): void => {
    const seconds = Math.round((performance.now() - startedAtMs) / 1000)
    process.stderr.write(`${String(seconds).padStart(4)} s  ${text}\n`)
  }
  say("starting a service with a PostgreSQL of its own")
  return yield* Effect.acquireUseRelease(
    Effect.promise(() => startOwnService(clone)),
    ({ pid, url, deploy }) =>
      Effect.promise(async () => {
        const extent = extents[size]
        const bench: Bench = {
          pid,
          extent,
          code: new Seats(url, await deploy(calibrationRooms.code)),
          relay: new Seats(url, await deploy(calibrationRooms.relay)),
          samples: new Samples(),
          idleCores: 0,
          socketBytes: 0,
          joinMs: [],
          wakeMs: []
        }
        say("idle")
        await measureIdle(bench)
        say("memory of players and relay rooms")
        await measureMemory(bench)
        say("messages, after rooms have run for a while")
        await measureMessages(bench)
        say("ticks and patches")
        await measureTicks(bench)
        for (let round = 1; round <= extent.rounds; round += 1) {
          await measureRound(bench, round, (what) =>
            say(`round ${round} of ${extent.rounds}: ${what}`)
          )
        }
        measureLatency(bench)
        return bench.samples
      }),
    ({ stop }) => Effect.promise(stop)
  )
})
