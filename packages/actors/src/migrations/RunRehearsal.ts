import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { RoomId } from "@atrium/domain/shared/Ids"
import { Clock, Effect, Option } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { roomPrefix } from "../rooms/RoomObjects.ts"
import { byStoredKey, StoredRooms } from "../rooms/StoredRooms.ts"
import { withCandidate } from "./CandidateVersions.ts"
import { makeMigrator, Migrator } from "./Migrator.ts"
import { isFullOfFailures, wantsDiff, withoutRooms, withRoom } from "./RehearsalReport.ts"
import { candidateRow, type RehearsalProgress, type RehearsalRow } from "./RehearsalRow.ts"
import { RehearsalStore } from "./RehearsalStore.ts"
import { rehearseRoom } from "./RehearseRoom.ts"

/**
 * Runs a rehearsal for a while, from where it is: until it is over, was stopped, or others have their turn. How far it is
 * is stored as it goes. Source: C-711.
 *
 * @param listed as it was found, perhaps long ago
 * @returns whether it goes on
 */
export const runRehearsal = Effect.fn("Rehearsal.run")(function* (listed: RehearsalRow) {
  const store = yield* RehearsalStore
  const deployments = yield* DeploymentStore
  const found = Option.getOrNull(yield* store.find(listed.projectId, listed.rehearsalId))
  if (found?.state !== "running") return false
  if (!(yield* isOfCurrent(found))) return yield* finish(found)
  const bundle = Option.getOrNull(yield* store.bundle(found))
  // The rehearsal has ended, or its row was trimmed, since it was found.
  if (bundle === null) return false
  const row = candidateRow(found)
  const versions = withCandidate(deployments, { row, bundle })
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const migrator = yield* Effect.provideService(makeMigrator, DeploymentStore, versions)
      return yield* rehearseAll(found).pipe(
        Effect.provideService(DeploymentStore, versions),
        Effect.provideService(Migrator, migrator)
      )
    })
  )
})

const rehearseAll = Effect.fnUntraced(function* (found: RehearsalRow) {
  const store = yield* RehearsalStore
  let turnMs = yield* now
  let row = found
  let writtenMs = turnMs
  for (;;) {
    const rooms = yield* nextRooms(row)
    if (rooms.length === 0) {
      const next = row.progress.pass === 1 ? secondPass(row.progress) : null
      if (next === null) return yield* finish(yield* withoutGone(row))
      row = { ...row, progress: next }
      continue
    }
    for (const roomId of rooms) {
      row = yield* withNext(row, roomId)
      if (isFullOfFailures(row.progress.report)) return yield* finish(row)
      const nowMs = yield* now
      if (nowMs - writtenMs < MigrationLimits.rehearsalProgress.ms) continue
      writtenMs = nowMs
      const written = yield* store.advance(row, row)
      // Another runner has it, or it was stopped.
      if (written === null) return false
      row = written
      if (nowMs - turnMs < MigrationLimits.rehearsalTurn.ms) continue
      turnMs = nowMs
      if (!(yield* isOfCurrent(row))) return yield* finish(row)
      // A turn costs a process: one that runs alone goes on with its own.
      if ((yield* store.running).length > 1) return true
    }
  }
})

const now = Effect.map(Clock.currentTimeNanos, (ns) => Number(ns) / 1e6)

const secondPass = (progress: RehearsalProgress): RehearsalProgress => ({
  ...progress,
  pass: 2,
  after: null
})

/** The rooms that come next; none = the pass is through. */
const nextRooms = Effect.fnUntraced(function* ({
  projectId,
  sample,
  createdAtMs,
  progress: { pass, after }
}: RehearsalRow) {
  const drawn = sample?.map((room) => RoomId.make(room))
  if (pass === 1 && drawn !== undefined) {
    return drawn.filter((room) => after === null || byStoredKey(room, after) > 0)
  }
  const part = { after, sinceMs: pass === 1 ? null : createdAtMs }
  return yield* (yield* StoredRooms).page(projectId, part)
})

const withNext = Effect.fnUntraced(function* (row: RehearsalRow, roomId: RoomId) {
  const { projectId, sample, progress } = row
  const { report, pass } = progress
  const after = { ...progress, after: roomId }
  if (sample !== null && !sample.includes(roomId)) return { ...row, progress: after }
  const startMs = yield* now
  const outcome = yield* rehearseRoom({
    key: { projectId, roomId },
    row: candidateRow(row),
    wantsDiff: wantsDiff(report, roomId)
  })
  const ranMs = progress.ranMs + (yield* now) - startMs
  return { ...row, progress: { ...after, ranMs, report: withRoom(report, outcome, pass === 2) } }
})

/** A room that failed and is deleted by now has nothing that a deploy would lead on. */
const withoutGone = Effect.fnUntraced(function* (row: RehearsalRow) {
  const objects = yield* ObjectStore
  const { projectId, progress } = row
  const gone = new Set<string>()
  for (const { roomId } of progress.report.failures) {
    const key = { projectId, roomId: RoomId.make(roomId) }
    if ((yield* objects.list(roomPrefix(key))).length === 0) gone.add(roomId)
  }
  return { ...row, progress: { ...progress, report: withoutRooms(progress.report, gone) } }
})

/** It is through: what it says counts only for the version that was current when it began. */
const finish = Effect.fnUntraced(function* (row: RehearsalRow) {
  const store = yield* RehearsalStore
  const { progress } = row
  const passed = progress.report.failures.length === 0 ? "passed" : "failed"
  yield* store.advance(row, { progress, state: (yield* isOfCurrent(row)) ? passed : "outdated" })
  return false
})

const isOfCurrent = Effect.fnUntraced(function* ({ projectId, baseVersion }: RehearsalRow) {
  const versions = yield* (yield* DeploymentStore).currentVersions([projectId])
  return (versions.get(projectId) ?? 0) === baseVersion
})
