import type { RoomKey } from "@atrium/domain/shared/Ids"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { Packing } from "../objects/Packing.ts"
import { RandomHex } from "../store/Secrets.ts"
import { AlarmStore } from "./AlarmStore.ts"
import {
  alarmKey,
  newestSnapshot,
  RoomObjects,
  roomPrefix,
  saveKey,
  snapshotKey,
  type SnapshotManifest
} from "./RoomObjects.ts"
import type { Incarnation } from "./RoomState.ts"
import type { SaveReason } from "./SnapshotMachine.ts"

const StoredAlarm = Schema.Struct({
  name: Schema.String,
  atMs: Schema.Number,
  everyMs: Schema.optionalKey(Schema.Number)
})

/** An alarm that a room has set. */
export type Alarm = typeof StoredAlarm.Type

const AlarmFile = Schema.fromJsonString(Schema.Array(StoredAlarm))
const decodeAlarms = Schema.decodeUnknownEffect(AlarmFile)

/** The stored state of a room, as its next incarnation needs it. */
export interface StoredRoom {
  readonly snapshot: { readonly state: Uint8Array; readonly manifest: SnapshotManifest } | null
  readonly alarms: ReadonlyArray<Alarm>
}

/** The facts that are written beside the state when it is stored. */
export interface SnapshotFacts {
  readonly at: Incarnation
  readonly schemaHash: string
  readonly generation: SaveReason | null
}

/**
 * A room's stored state: snapshot per deployment version, save generations, alarm sidecar. Writes
 * are fenced by the incarnation's epoch. Source: architecture, Storage; D-48.
 */
export class RoomFiles extends Context.Service<
  RoomFiles,
  {
    /**
     * The stored state that the next incarnation starts from. From here on its alarms ring as it knows them.
     *
     * @param version the probable version of the newest snapshot: if it is right, one read is enough
     */
    load(key: RoomKey, version: number): Effect.Effect<StoredRoom>
    /** The type of a room that has stored state and no row; `null` = there is nothing stored. */
    storedType(key: RoomKey): Effect.Effect<string | null>
    storeSnapshot(
      key: RoomKey,
      state: Uint8Array,
      facts: SnapshotFacts
    ): Effect.Effect<void, unknown>
    storeAlarms(
      key: RoomKey,
      epoch: number,
      alarms: ReadonlyArray<Alarm>
    ): Effect.Effect<void, unknown>
    /** Removes the snapshots and saves of the versions before one, and the alarms: the room starts anew. */
    discard(key: RoomKey, before: number): Effect.Effect<void>
    /** Removes all of it: every version's snapshot, the generations, the alarms. @returns how many objects */
    remove(key: RoomKey): Effect.Effect<number>
  }
>()("@atrium/actors/rooms/RoomFiles") {
  static readonly layer = Layer.effect(
    RoomFiles,
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const roomObjects = yield* RoomObjects
      const alarmIndex = yield* AlarmStore
      const packing = yield* Packing
      const randomHex = yield* RandomHex

      const load = Effect.fn("RoomFiles.load")(function* (key: RoomKey, version: number) {
        const likely = snapshotKey(key, version)
        const [{ entries, bytes }, indexedMs] = yield* Effect.all(
          [objects.listWith(roomPrefix(key), [likely, alarmKey(key)]), alarmIndex.next(key)],
          { concurrency: 2 }
        )
        const alarms = yield* alarmsOf(bytes.get(alarmKey(key)))
        const nextMs = nextOf(alarms)
        const nowMs = yield* Clock.currentTimeMillis
        if (!agree(indexedMs, nextMs, nowMs)) yield* alarmIndex.settle(key, nextMs)
        const newest = newestSnapshot(key, entries)
        return { snapshot: newest === null ? null : yield* snapshotOf(newest, bytes), alarms }
      })

      const snapshotOf = Effect.fnUntraced(function* (
        { entry, manifest }: NonNullable<ReturnType<typeof newestSnapshot>>,
        read: ReadonlyMap<string, Uint8Array>
      ) {
        const stored = read.get(entry.key) ?? Option.getOrUndefined(yield* objects.get(entry.key))
        if (stored === undefined) return null
        const state = yield* packing.unpack(stored, RuntimeLimits.snapshotBytes.max)
        return { state, manifest }
      })

      const storedType = Effect.fn("RoomFiles.storedType")(function* (key: RoomKey) {
        return newestSnapshot(key, yield* objects.list(roomPrefix(key)))?.manifest.type ?? null
      })

      const storeSnapshot = Effect.fn("RoomFiles.storeSnapshot")(function* (
        key: RoomKey,
        state: Uint8Array,
        { at, schemaHash, generation }: SnapshotFacts
      ) {
        const takenAtMs = yield* Clock.currentTimeMillis
        const bytes = yield* packing.pack(state)
        const { version, epoch } = at
        const manifest = manifestOf(at, { schemaHash, takenAtMs, stateBytes: state.length })
        const snapshot = {
          key: snapshotKey(key, version),
          bytes,
          manifest: { ...manifest, kind: "snapshot", reason: null }
        }
        const fence = { ...key, epoch }
        if (generation === null) return yield* roomObjects.put([snapshot], fence)
        const save = {
          key: saveKey(key, { version, saveId: `sv_${randomHex(16)}` }),
          bytes,
          manifest: { ...manifest, kind: "save", reason: generation }
        }
        yield* roomObjects.put([snapshot, save], fence)
        yield* roomObjects.prune(key, version)
      })

      return {
        load,
        storedType,
        storeSnapshot,
        storeAlarms: alarmStoring(roomObjects, alarmIndex),
        ...removals(objects, alarmIndex)
      }
    })
  )
}

const alarmsOf = (file: Uint8Array | undefined) =>
  file === undefined
    ? Effect.succeed([])
    : Effect.orDie(decodeAlarms(new TextDecoder().decode(file)))

const manifestOf = (
  { type, class: roomClass, version, epoch }: Incarnation,
  measured: Pick<SnapshotManifest, "schemaHash" | "takenAtMs" | "stateBytes">
) => ({ type, class: roomClass, version, epoch, ...measured })

/** Whether the index rings as the alarms want it: an alarm that was put off stays so. */
const agree = (indexedMs: number | null, nextMs: number | null, nowMs: number): boolean =>
  indexedMs === null || nextMs === null
    ? indexedMs === nextMs
    : nextMs <= nowMs || indexedMs <= nextMs

const alarmStoring = (roomObjects: RoomObjects["Service"], alarmIndex: AlarmStore["Service"]) =>
  Effect.fn("RoomFiles.storeAlarms")(function* (
    key: RoomKey,
    epoch: number,
    alarms: ReadonlyArray<Alarm>
  ) {
    const bytes = new TextEncoder().encode(JSON.stringify(alarms))
    yield* roomObjects.put([{ key: alarmKey(key), bytes, manifest: { kind: "alarm" } }], {
      ...key,
      epoch
    })
    yield* alarmIndex.setNext(key, nextOf(alarms))
  })

const nextOf = (alarms: ReadonlyArray<Alarm>): number | null =>
  alarms.length === 0 ? null : Math.min(...alarms.map((alarm) => alarm.atMs))

const removals = (objects: ObjectStore["Service"], alarmIndex: AlarmStore["Service"]) => ({
  discard: Effect.fn("RoomFiles.discard")(function* (key: RoomKey, before: number) {
    const entries = yield* objects.list(roomPrefix(key))
    const old = entries.filter(({ manifest: { version } }) => Number(version) < before)
    yield* alarmIndex.setNext(key, null)
    yield* objects.delete([alarmKey(key), ...old.map((entry) => entry.key)])
  }),

  remove: Effect.fn("RoomFiles.remove")(function* (key: RoomKey) {
    const entries = yield* objects.list(roomPrefix(key))
    // The index first: an alarm without its room would ring for ever.
    yield* alarmIndex.setNext(key, null)
    yield* objects.delete(entries.map((entry) => entry.key))
    return entries.length
  })
})
