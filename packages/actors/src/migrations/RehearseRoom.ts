import type { RoomKey } from "@atrium/domain/shared/Ids"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { Clock, Effect, Option } from "effect"

import type { DeployedType } from "../deployments/DeployedType.ts"
import type { DeploymentRow } from "../deployments/DeploymentRow.ts"
import { storedSchema } from "../deployments/StoredSchema.ts"
import type { ObjectEntry } from "../objects/ObjectRows.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { Packing } from "../objects/Packing.ts"
import { deployedType, readable } from "../rooms/ReadableState.ts"
import {
  newestSnapshot,
  roomPrefix,
  type SnapshotManifest,
  storedSaves
} from "../rooms/RoomObjects.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import type { ServerWaking } from "../servers/ServerProtocol.ts"
import { isStoreFailure } from "../store/StoreFailure.ts"
import { pathOfState } from "./LeadState.ts"
import { type RoomDiff, type RoomOutcome, StateOutcome } from "./RehearsalReport.ts"
import { stateDiff } from "./StateDiff.ts"

/** A room that is rehearsed, and the version to which its states are led. */
export interface RoomToRehearse {
  readonly key: RoomKey
  readonly row: DeploymentRow
  /** The changes of its snapshot are to be shown. */
  readonly wantsDiff: boolean
}

interface StoredState {
  readonly entry: ObjectEntry
  readonly manifest: SnapshotManifest
  /** `null` = the room's snapshot. */
  readonly saveId: string | null
}

/** The outcome for one state, and its changes if they are to be shown. */
interface Rehearsed {
  readonly outcome: StateOutcome
  readonly lines: ReadonlyArray<string> | null
}

const skipped: Rehearsed = { outcome: StateOutcome.Skipped(), lines: null }

/**
 * Leads the newest snapshot of a room and all its saves on, as a wake and a restore would, and stores nothing.
 *
 * Errors: `ServerWaking`, if the machine has no process for it now.
 */
export const rehearseRoom = Effect.fnUntraced(function* (room: RoomToRehearse) {
  const entries = yield* (yield* ObjectStore).list(roomPrefix(room.key))
  const row = yield* (yield* RoomStore).load(room.key)
  // A branch stays on the version of its save.
  const states = row !== null && row.branch !== null ? [] : statesOf(room.key, entries)
  const outcomes: Array<StateOutcome> = []
  let diff: RoomDiff | null = null
  for (const [place, state] of states.entries()) {
    const { type, version } = state.manifest
    const isShown = room.wantsDiff && place === 0
    const { outcome, lines } = yield* rehearseState(room, state, isShown)
    outcomes.push(outcome)
    if (lines !== null && lines.length > 0) diff = { roomId: room.key.roomId, type, version, lines }
  }
  const isCounted = states.some(
    ({ saveId, manifest }) =>
      saveId === null && room.row.roomTypes.some(({ type }) => type === manifest.type)
  )
  return { roomId: room.key.roomId, states: outcomes, isCounted, diff } satisfies RoomOutcome
})

/** The snapshot first. A save that was made with it has the same bytes. */
const statesOf = (
  key: RoomKey,
  entries: ReadonlyArray<ObjectEntry>
): ReadonlyArray<StoredState> => {
  const newest = newestSnapshot(key, entries)
  const saves = storedSaves(key, entries).filter(
    ({ manifest: { epoch, takenAtMs, version } }) =>
      newest?.manifest.epoch !== epoch ||
      newest.manifest.takenAtMs !== takenAtMs ||
      newest.manifest.version !== version
  )
  return newest === null ? saves : [{ ...newest, saveId: null }, ...saves]
}

/** What a version does with one state: that it leads it on, or why it does not. */
const rehearseState = (room: RoomToRehearse, state: StoredState, isShown: boolean) =>
  ledOn(room, state, isShown).pipe(
    Effect.catchTag("Stays", ({ why }) => Effect.succeed(failed(state, why))),
    Effect.catchCause((cause) => {
      const isOfState = cause.reasons.some(({ _tag }) => _tag === "Die") && !isStoreFailure(cause)
      return isOfState
        ? Effect.as(
            Effect.logWarning("a stored state could not be rehearsed", cause),
            failed(state, "the stored state could not be read")
          )
        : Effect.failCause(cause)
    })
  ) satisfies Effect.Effect<Rehearsed, ServerWaking, unknown>

const failed = ({ saveId, manifest: { version } }: StoredState, why: string): Rehearsed => ({
  outcome: StateOutcome.Failed({ saveId, version, why }),
  lines: null
})

const ledOn = Effect.fnUntraced(function* (
  { key, row }: RoomToRehearse,
  { entry, manifest }: StoredState,
  isShown: boolean
) {
  const { type } = manifest
  const declared = row.roomTypes.find((each) => each.type === type)
  if (declared === undefined) return skipped
  const packed = Option.getOrNull(yield* (yield* ObjectStore).get(entry.key))
  // It was removed since the list was read.
  if (packed === null) return skipped
  const state = yield* (yield* Packing).unpack(packed, RuntimeLimits.snapshotBytes.max)
  const order = orderOf(key, declared, row)
  const stored = { snapshot: { state, manifest }, alarms: [] }
  const path = yield* pathOfState({ key, order }, stored)
  if (path._tag === "Discarded") return skipped
  const wanted = yield* deployedType(key, order)
  const startNs = yield* Clock.currentTimeNanos
  const { snapshot } = yield* readable({ key, order }, wanted, { stored, path })
  if (snapshot === null) return skipped
  const ms = Number((yield* Clock.currentTimeNanos) - startNs) / 1e6
  const outcome = StateOutcome.Led({
    bytesBefore: state.length,
    bytesAfter: snapshot.bytes.length,
    ms
  })
  if (!isShown) return { outcome, lines: null }
  const before = yield* deployedType(key, manifest)
  const lines = stateDiff(
    { bytes: state, schema: storedSchema(before.deployed).descriptor },
    { bytes: snapshot.bytes, schema: snapshot.schema ?? storedSchema(declared).descriptor }
  )
  return { outcome, lines } satisfies Rehearsed
})

/** The order that would wake the room on the version; nothing starts. */
const orderOf = ({ roomId }: RoomKey, declared: DeployedType, { version }: DeploymentRow) => ({
  roomId,
  fresh: false,
  type: declared.type,
  class: declared.class,
  version,
  epoch: 0,
  serverIndex: 0
})
