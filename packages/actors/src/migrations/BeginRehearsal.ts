import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound, NotReady, RehearsalFailed } from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Effect } from "effect"

import { sha256Of } from "../objects/Sha256.ts"
import type { RoomObjects } from "../rooms/RoomObjects.ts"
import type { DeployWish } from "./NextStep.ts"
import { failedKinds, failedRooms, isFullOfFailures } from "./RehearsalReport.ts"
import { type Candidate, isOver, type RehearsalRow } from "./RehearsalRow.ts"
import { RehearsalBell } from "./Rehearsals.ts"
import type { RehearsalStore } from "./RehearsalStore.ts"

/** A bundle whose migrations are to be rehearsed. */
export interface ToRehearse {
  readonly projectId: ProjectId
  readonly bundle: Uint8Array
  readonly baseVersion: number
  readonly candidate: Candidate
  /** The rooms that were drawn; `null` = all. */
  readonly sample: ReadonlyArray<string> | null
}

/** Where rehearsals and what they are about are stored. */
export interface RehearsalStores {
  readonly rehearsals: RehearsalStore["Service"]
  readonly objects: RoomObjects["Service"]
}

const hashOf = (bundle: Uint8Array): Effect.Effect<string> =>
  Effect.map(sha256Of(bundle), (hash) => Buffer.from(hash).toString("hex"))

const countOf = ({ objects }: RehearsalStores, { projectId, candidate }: ToRehearse) =>
  objects.count(
    projectId,
    candidate.roomTypes.map(({ type }) => type)
  )

/**
 * Whether code leads stored state on: also that of rooms that an earlier migration left behind. What goes by name needs no
 * rehearsal.
 */
export const hasCode = ({ migrations }: Candidate): boolean => migrations.length > 0

/** Begins a rehearsal, or goes on with the one of the same bundle. Source: C-710. */
export const beginRehearsal = Effect.fnUntraced(function* (
  stores: RehearsalStores,
  asked: ToRehearse
) {
  const total = yield* countOf(stores, asked)
  return yield* begin(stores, asked, { total, hash: yield* hashOf(asked.bundle) })
})

const begin = Effect.fnUntraced(function* (
  { rehearsals }: RehearsalStores,
  { bundle, ...begins }: ToRehearse,
  measured: Pick<RehearsalRow, "hash" | "total">
) {
  const row = yield* rehearsals.begin({ ...begins, ...measured }, bundle)
  const bell = yield* RehearsalBell
  bell.openUnsafe()
  return row ?? (yield* new NotFound())
})

/**
 * Lets a deploy go on when all that is stored was rehearsed with its bundle, just now or a while ago, and passed. Else it
 * is rehearsed, and a rehearsal that takes long goes on beside the answer. Source: C-713.
 *
 * @returns rooms that fail and do not keep the deploy from going on, as it quarantines them
 */
export const demandRehearsed = Effect.fnUntraced(function* (
  stores: RehearsalStores,
  asked: ToRehearse,
  { quarantine }: Pick<DeployWish, "quarantine">
) {
  const total = yield* countOf(stores, asked)
  if (total.rooms + total.saves === 0) return []
  const known = yield* stores.rehearsals.list(asked.projectId)
  const sinceMs = (yield* Clock.currentTimeMillis) - MigrationLimits.rehearsalCounts.ms
  const hash = yield* hashOf(asked.bundle)
  const newest = known.find((row) => isOf(row, asked, hash))
  const counts = newest !== undefined && isOver(newest) && newest.changedAtMs >= sinceMs
  const row = counts ? newest : yield* awaited(stores, yield* begin(stores, asked, { total, hash }))
  const { report } = row.progress
  // A full list of failures may lack rooms that fail.
  if (quarantine && row.state === "failed" && !isFullOfFailures(report)) return failedRooms(report)
  yield* demandPassed(row)
  return []
})

const isOf = (row: RehearsalRow, { baseVersion }: ToRehearse, hash: string): boolean =>
  row.sample === null && row.hash === hash && row.baseVersion === baseVersion

const awaited = ({ rehearsals }: RehearsalStores, begun: RehearsalRow) =>
  Effect.gen(function* () {
    const { projectId, rehearsalId } = begun
    const { rehearsalAwaited, rehearsalAwaitedLook } = MigrationLimits
    const { ms: lookMs } = rehearsalAwaitedLook
    for (let waitedMs = 0; waitedMs < rehearsalAwaited.ms; waitedMs += lookMs) {
      const row = yield* rehearsals.find(projectId, rehearsalId)
      if (row._tag === "Some" && row.value.state !== "running") return row.value
      yield* Effect.sleep(lookMs)
    }
    return begun
  })

const demandPassed = Effect.fnUntraced(function* (row: RehearsalRow) {
  const { state, rehearsalId, progress } = row
  if (state === "passed") return
  if (state === "failed") {
    const [kind] = failedKinds(progress.report)
    if (kind === undefined) return yield* Effect.die(new Error("a failed rehearsal has no failure"))
    const { roomId } = kind.first
    return yield* new RehearsalFailed({
      message: serviceMessage(`${roomId}: ${kind.message}`),
      rehearsalId,
      roomId,
      rooms: progress.report.failures.length
    })
  }
  return yield* new NotReady({ message: serviceMessage(unfinished(rehearsalId)[state]) })
})

const unfinished = (rehearsalId: string) => ({
  running: `the rehearsal ${rehearsalId} of the migrations is under way; try again`,
  stopped: `the rehearsal ${rehearsalId} of the migrations was stopped; try again`,
  outdated: `another version was deployed during the rehearsal ${rehearsalId}; try again`
})
