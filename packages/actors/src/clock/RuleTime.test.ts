import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { lookEvery, RuleTime, sleepByRule } from "./RuleTime.ts"

const packages = join(import.meta.dirname, "../../..")

/**
 * Waits on the machine's time, by file, and what hangs there. A wait that a rule of the specification
 * names has no place here: it goes through `sleepByRule` or `lookEvery`.
 */
const machineTime = new Map([
  ["actors/src/clock/RuleTime.ts", "what a wait by a rule is when nobody moves the clock"],
  ["actors/src/cluster/LeasedLocks.ts", "a lease that is asked again"],
  ["actors/src/deployments/RoomMover.ts", "a deployment that goes through"],
  ["actors/src/link/Links.ts", "runners that hang"],
  ["actors/src/fleet/FleetReporter.ts", "runners that hear of each other"],
  ["actors/src/migrations/BeginRehearsal.ts", "a deploy that waits for its rehearsal"],
  ["actors/src/migrations/QuarantinedRooms.ts", "a server that has no place yet"],
  ["actors/src/objects/S3Requests.ts", "an S3 that is away"],
  ["actors/src/process/launcher/LauncherLink.ts", "a launcher that ends again and again"],
  ["actors/src/process/DescribeBundle.ts", "code that hangs while it is loaded"],
  ["actors/src/process/FlushTogether.ts", "bytes that leave together"],
  ["actors/src/process/MigrateProcess.ts", "a migration that hangs"],
  ["actors/src/process/RoomChild.ts", "pipes that outlive their process"],
  ["actors/src/process/RoomProcesses.ts", "processes that hang or grow"],
  ["runtime/src/boot/boot.ts", "the timers of a room, which hears of a moved clock"],
  ["runtime/src/boot/BootShared.ts", "the timers of a room, which hears of a moved clock"],
  ["actors/src/relay/RelayPort.ts", "the timers of a relay room, which hears of a moved clock"],
  ["actors/src/presence/FollowedShards.ts", "runners that hear of each other"],
  ["actors/src/presence/Presence.ts", "changes that are told together"],
  ["actors/src/presence/PresenceReport.ts", "changes that are told together"],
  ["actors/src/rates/SharedRates.ts", "tokens that nobody takes"],
  ["actors/src/rooms/AwakeRoom.ts", "a report that got lost"],
  ["actors/src/rooms/CallDeadlines.ts", "in-room calls that hang"],
  ["actors/src/clock/ClockFollower.ts", "the machine's clock that is set"],
  ["actors/src/rooms/LeaveRunner.ts", "a store that is away at the end"],
  ["actors/src/rooms/LatestWrite.ts", "writes that come too close"],
  ["actors/src/servers/MemoryLook.ts", "memory that grows"],
  ["actors/src/servers/ThisHome.ts", "runners that hear of each other"],
  ["actors/src/store/AnswerTime.ts", "a store that stands still"],
  ["actors/src/store/BatchWriter.ts", "log lines and events of rooms that are stored together"],
  ["actors/src/store/StoreRetry.ts", "a store that is away"],
  ["actors/src/voice/MediaLink.ts", "a media process that hangs, or has no call"],
  ["api/src/http/TurnQueue.ts", "requests that hold up others"],
  ["api/src/http/LiveStream.ts", "changes that are told together"],
  ["api/src/http/AnswerTimes.ts", "requests that hang, or hold up the end of the service"],
  ["postgres/src/EmbeddedPostgres.ts", "a database that starts"],
  ["postgres/src/KeptPostgres.ts", "a database that ends again and again"],
  ["postgres/src/PostgresCluster.ts", "a process that ends"],
  ["api/src/logs/OtherTails.ts", "runners that hear of each other"],
  ["api/src/metrics/ExportsMetrics.ts", "rooms that are counted for the operator's metrics"],
  ["api/src/router/Arrivals.ts", "rooms that do not answer a join"],
  ["api/src/router/OrphanSockets.ts", "sockets that nobody serves"],
  ["api/src/router/RoomReentry.ts", "a room that nobody takes for a moment"],
  ["api/src/router/RoomRouter.ts", "connections that are dead or flood"],
  ["api/src/sites/SiteApp.ts", "visitors of a site that take nothing"],
  ["api/src/start/Database.ts", "tables that a newer program changes"],
  ["api/src/start/LastAnswers.ts", "a peer that goes on sending"],
  ["api/src/start/Listener.ts", "connections that do not end"],
  ["api/src/start/Logs.ts", "log lines that repeat"],
  ["api/src/start/ObjectsWatch.ts", "an S3 that is away"],
  ["api/src/start/OneRunner.ts", "a lock that is held"],
  ["api/src/start/Service.ts", "load balancers that have yet to see the end of a runner"],
  ["api/src/start/Signals.ts", "a shutdown that hangs"],
  ["api/src/start/StoreWatch.ts", "a store that is away"],
  ["api/src/start/StoreWrites.ts", "a disk that is full"]
])

const waits =
  /Effect\.sleep\(|Effect\.delay\(|Schedule\.(?:spaced|fixed|exponential|windowed|cron)\(|\bset(?:Timeout|Interval)\(/

const sourcesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(packages, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /\/(?:testing|control)$/.test(path) ? [] : sourcesIn(path)
    return path.endsWith(".ts") && !/\.(?:test|contract)\.ts$|\/Test[A-Z]/.test(path) ? [path] : []
  })

it("[C-84] every wait on the machine's time is a known one, that no rule names", () => {
  const folders = ["actors/src", "api/src", "postgres/src", "runtime/src"]
  const waiting = folders
    .flatMap(sourcesIn)
    .filter((path) => waits.test(readFileSync(join(packages, path), "utf8")))
  expect(waiting.toSorted()).toEqual([...machineTime.keys()].toSorted())
})

it.effect(
  "[C-84] where nobody moves the clock, a wait by a rule is a sleep, and a look is repeated",
  () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const note = (what: string) => Effect.sync(() => seen.push(what))
      yield* Effect.forkChild(Effect.andThen(sleepByRule(1500), note("slept")))
      const looking = yield* Effect.forkChild(lookEvery(1000)(note("looked")))
      yield* TestClock.adjust(1499)
      expect(seen).toEqual(["looked", "looked"])
      yield* TestClock.adjust(501)
      expect(seen).toEqual(["looked", "looked", "slept", "looked"])
      yield* Fiber.interrupt(looking)
    })
)

it.effect("[C-84] a sleep and a look by a rule ask the clock of the service", () =>
  Effect.gen(function* () {
    const asked: Array<number> = []
    const ask = (spanMs: number) => Effect.sync(() => void asked.push(spanMs))
    yield* Effect.andThen(sleepByRule(7), lookEvery(9)(Effect.void)).pipe(
      Effect.provideService(RuleTime, { sleep: ask, every: ask, runs: () => true })
    )
    expect(asked).toEqual([7, 9])
  })
)
