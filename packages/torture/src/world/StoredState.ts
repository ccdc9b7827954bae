import { objectTable } from "@atrium/actors/objects/ObjectStore"
import { type PlayState, stateIn } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { type MemoryRoom, roomTable } from "@atrium/actors/rooms/MemoryRoomTable"
import {
  alarmKey,
  bundleKey,
  newestSnapshot,
  roomPrefix,
  storedSaves
} from "@atrium/actors/rooms/RoomObjects"
import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import { type ProjectId, roomKeyOf, type RoomKey } from "@atrium/domain/shared/Ids"

import { bundleIn, type PlayedBundle } from "./Deployments.ts"

/** A snapshot that was stored. */
export interface SnapshotPut {
  readonly epoch: number
  readonly version: number
  /** `restore` of a save that took the place of the state. */
  readonly reason: unknown
  state(): PlayState
}

/** Called at each change of a stored object of a room, at the moment of the change. */
export interface ObjectChanges {
  snapshotPut(room: string, snapshot: SnapshotPut): void
  snapshotRemoved(room: string): void
}

/** The stored rooms of a world, as its checks read them: past the stores and at no cost of time. */
export class StoredState {
  readonly #tables: MemoryTables

  constructor(tables: MemoryTables) {
    this.#tables = tables
  }

  /** From now on tells of every change of a snapshot. */
  watch(changes: ObjectChanges): void {
    const objects = objectTable.rowsIn(this.#tables)
    const set = objects.set.bind(objects)
    const remove = objects.delete.bind(objects)
    objects.set = (name, object) => {
      set(name, object)
      const room = roomOfSnapshot(name)
      const { epoch, version, reason } = object.manifest
      const put = { epoch: Number(epoch), version: Number(version), reason }
      if (room !== null) changes.snapshotPut(room, { ...put, state: () => stateIn(object.bytes) })
      return objects
    }
    objects.delete = (name) => {
      const room = roomOfSnapshot(name)
      const removed = remove(name)
      if (removed && room !== null) changes.snapshotRemoved(room)
      return removed
    }
  }

  row(room: string): MemoryRoom | null {
    return roomTable.rowsIn(this.#tables).get(room) ?? null
  }

  get rows(): ReadonlyMap<string, MemoryRoom> {
    return roomTable.rowsIn(this.#tables)
  }

  #entries(key: RoomKey) {
    const prefix = roomPrefix(key)
    return [...objectTable.rowsIn(this.#tables)]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, { bytes, manifest, storedAtMs }]) => ({
        key: name,
        sizeBytes: bytes.length,
        storedAtMs,
        manifest
      }))
  }

  objectsOf(room: string): ReadonlyArray<string> {
    return this.#entries(roomKeyOf(room)).map(({ key }) => key)
  }

  /** The type of the room's newest state; `null` = nothing is stored. */
  storedType(room: string): string | null {
    const key = roomKeyOf(room)
    return newestSnapshot(key, this.#entries(key))?.manifest.type ?? null
  }

  /** The state that the next incarnation of the room would start from. */
  newest(room: string): PlayState {
    const key = roomKeyOf(room)
    const newest = newestSnapshot(key, this.#entries(key))
    return newest === null ? [] : this.stateOf(newest.entry.key)
  }

  /** The version under which that is stored; `null` = nothing is. */
  newestVersion(room: string): number | null {
    const key = roomKeyOf(room)
    return newestSnapshot(key, this.#entries(key))?.manifest.version ?? null
  }

  /** The code of a version; `null` = the project has no such version. */
  bundle(projectId: ProjectId, version: number): PlayedBundle | null {
    const stored = objectTable.rowsIn(this.#tables).get(bundleKey(projectId, version))
    return stored === undefined ? null : bundleIn(stored.bytes)
  }

  stateOf(object: string): PlayState {
    const stored = objectTable.rowsIn(this.#tables).get(object)
    return stored === undefined ? [] : stateIn(stored.bytes)
  }

  /** Ids of the room's save generations, newest first. */
  savesOf(room: string): ReadonlyArray<{ readonly saveId: string; readonly object: string }> {
    const key = roomKeyOf(room)
    return storedSaves(key, this.#entries(key)).map(({ saveId, entry }) => ({
      saveId,
      object: entry.key
    }))
  }

  /** How many alarms the room has stored beside its state. */
  alarmsOf(room: string): number {
    const stored = objectTable.rowsIn(this.#tables).get(alarmKey(roomKeyOf(room)))
    if (stored === undefined) return 0
    const alarms: ReadonlyArray<unknown> = JSON.parse(new TextDecoder().decode(stored.bytes))
    return alarms.length
  }
}

const roomOfSnapshot = (name: string): string | null =>
  /^rooms\/([^/]+\/[^/]+)\/snapshot\//.exec(name)?.[1] ?? null
