import type { Incarnation, RoomSettings, RoomState, SaveRef } from "@atrium/actors/rooms/RoomState"
import type { SaveReason } from "@atrium/actors/rooms/SnapshotMachine"

import { Objects } from "./Objects.ts"
import { type Row, Rows, type RowSave } from "./Rows.ts"
import type { StoreDoor } from "./StoreDoor.ts"
import {
  alarmKey,
  type Deployment,
  newestSnapshot,
  type PlayState,
  savesPrefix,
  snapshotKey,
  type StoredObject
} from "./StoredRoom.ts"
import type { Timeline } from "./Timeline.ts"
import { Failure, type Work } from "./Work.ts"

export const projectOf = (key: string): string => key.slice(0, key.indexOf("/"))

/** Who is told of what really changed. */
export interface StoreWitness {
  /** A room's state was written under an epoch that its row has. */
  stateStored(key: string, epoch: number): void
  savePlaced(key: string, saveId: string, state: PlayState): void
  removed(key: string): void
}

export interface StoreParts {
  readonly timeline: Timeline
  readonly door: StoreDoor
  readonly witness: StoreWitness
  /** The next epoch after the last one. A world that is wrong on purpose has another. */
  nextEpoch(last: number): number
  isFenceOpen(row: number | null, epoch: number): boolean
}

interface Snapshot {
  readonly at: Incarnation
  readonly state: PlayState
  readonly generation: SaveReason | null
}

/**
 * PostgreSQL as the shells see it: every method is one statement or one transaction, with its way
 * there and back. See RoomStore.ts, ObjectStore.ts, RoomFiles.ts, RoomSaves.ts of actors.
 */
export class Store {
  readonly rows = new Rows()
  readonly objects = new Objects()
  readonly #deployments = new Map<string, Array<Deployment>>()
  readonly #parts: StoreParts
  #epoch = 0
  #saveId = 0

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  get #nowMs(): number {
    return this.#parts.timeline.nowMs
  }

  #ask<A>(does: () => A): Work<A> {
    return this.#parts.door.ask(does)
  }

  /** What a project runs now, as nobody has to ask the store for it. */
  deployed(project: string): Deployment | null {
    return this.#deployments.get(project)?.at(-1) ?? null
  }

  deploy(project: string, deployment: Omit<Deployment, "version">): number {
    const versions = this.#deployments.get(project) ?? []
    versions.push({ ...deployment, version: versions.length + 1 })
    this.#deployments.set(project, versions)
    return versions.length
  }

  *currentDeployment(project: string): Work<Deployment | null> {
    return yield* this.#ask(() => this.deployed(project))
  }

  *deployment(project: string, version: number): Work<Deployment | null> {
    return yield* this.#ask(() => this.#deployments.get(project)?.[version - 1] ?? null)
  }

  *claimEpoch(): Work<number> {
    return yield* this.#ask(() => {
      this.#epoch = this.#parts.nextEpoch(this.#epoch)
      return this.#epoch
    })
  }

  *load(key: string): Work<Row | null> {
    return yield* this.#ask(() => this.rows.get(key))
  }

  *save(key: string, saved: RowSave): Work<void> {
    yield* this.#ask(() => {
      this.rows.save(key, saved, this.#nowMs)
    })
  }

  *saveSettings(key: string, settings: RoomSettings, state: RoomState): Work<void> {
    yield* this.#ask(() => {
      this.rows.saveSettings(key, settings, { state, nowMs: this.#nowMs })
    })
  }

  /** One statement of {@link Rows} or {@link Objects}, with its way there and back. */
  *statement<A>(does: (rows: Rows, objects: Objects) => A): Work<A> {
    return yield* this.#ask(() => does(this.rows, this.objects))
  }

  *list(key: string): Work<ReadonlyArray<readonly [string, StoredObject]>> {
    return yield* this.#ask(() => [...this.objects.of(key)])
  }

  /** `storedType` in RoomFiles.ts. */
  *storedType(key: string): Work<string | null> {
    const listed = yield* this.list(key)
    return newestSnapshot(listed.map(([, object]) => object))?.type ?? null
  }

  /** `putFenced` in ObjectStore.ts: a transaction that holds the room's row. */
  *#putFenced(
    key: string,
    epoch: number,
    objects: ReadonlyArray<readonly [string, StoredObject]>
  ): Work<void> {
    yield* this.#ask(() => {
      const row = this.rows.get(key)?.epoch ?? null
      if (!this.#parts.isFenceOpen(row, epoch)) throw new Failure("Fenced")
      for (const [name, object] of objects) this.objects.put(key, name, object)
      if (objects.some(([, object]) => object.kind === "snapshot")) {
        this.#parts.witness.stateStored(key, epoch)
      }
    })
  }

  #named(object: StoredObject): readonly [string, StoredObject] {
    const { version } = object
    if (object.kind === "snapshot") return [snapshotKey(version), object]
    const saveId = `sv_${String(++this.#saveId).padStart(6, "0")}`
    return [`${savesPrefix(version)}${saveId}`, { ...object, saveId }]
  }

  /** `storeSnapshot` in RoomFiles.ts. */
  *storeSnapshot(key: string, { at, state, generation }: Snapshot): Work<void> {
    const nowMs = this.#nowMs
    const snapshot: StoredObject = {
      kind: "snapshot",
      epoch: at.epoch,
      version: at.version,
      type: at.type,
      state,
      saveId: null,
      alarms: [],
      takenAtMs: nowMs,
      storedAtMs: nowMs
    }
    if (generation === null) return yield* this.#putFenced(key, at.epoch, [this.#named(snapshot)])
    yield* this.#putFenced(key, at.epoch, [
      this.#named(snapshot),
      this.#named({ ...snapshot, kind: "save" })
    ])
    yield* this.#removeExpired(key, at.version)
  }

  *#removeExpired(key: string, version: number): Work<void> {
    const expired = yield* this.#ask(() => this.objects.expired(key, savesPrefix(version)))
    if (expired.length > 0) yield* this.#ask(() => this.objects.delete(key, expired))
  }

  /** `storeAlarms` in RoomFiles.ts. */
  *storeAlarms(key: string, at: Incarnation, alarms: ReadonlyArray<number>): Work<void> {
    const sidecar: StoredObject = {
      kind: "alarm",
      epoch: at.epoch,
      version: at.version,
      type: at.type,
      state: [],
      saveId: null,
      alarms,
      takenAtMs: this.#nowMs,
      storedAtMs: this.#nowMs
    }
    yield* this.#putFenced(key, at.epoch, [[alarmKey, sidecar]])
    yield* this.setNextAlarm(key, alarms.length === 0 ? null : Math.min(...alarms))
  }

  /** `settle` in AlarmStore.ts. */
  *settleAlarm(key: string, alarms: ReadonlyArray<number>): Work<void> {
    if (alarms.length === 0) return yield* this.setNextAlarm(key, null)
    yield* this.#ask(() => this.objects.settle(key, Math.min(...alarms), this.#nowMs))
  }

  *setNextAlarm(key: string, dueMs: number | null): Work<void> {
    yield* this.#ask(() => {
      if (dueMs === null) this.objects.alarmsDue.delete(key)
      else this.objects.alarmsDue.set(key, dueMs)
    })
  }

  /** `remove` in RoomFiles.ts. @returns how many objects */
  *remove(key: string): Work<number> {
    const listed = yield* this.list(key)
    yield* this.setNextAlarm(key, null)
    yield* this.#ask(() => {
      this.objects.delete(
        key,
        listed.map(([name]) => name)
      )
      this.#parts.witness.removed(key)
    })
    return listed.length
  }

  /** `find` in RoomSaves.ts. */
  *findSave(key: string, saveId: string): Work<StoredObject | null> {
    const listed = yield* this.list(key)
    return listed.find(([, object]) => object.saveId === saveId)?.[1] ?? null
  }

  /** `place` in RoomSaves.ts. */
  *placeSave(key: string, save: SaveRef, epoch: number): Work<boolean> {
    const found = yield* this.findSave(key, save.saveId)
    if (found === null) return false
    const takes = { ...found, epoch, storedAtMs: this.#nowMs }
    const placing = this.#ask(() => {
      if (this.rows.get(key)?.epoch !== epoch) throw new Failure("Fenced")
      this.objects.put(key, snapshotKey(save.version), { ...takes, kind: "snapshot", saveId: null })
      this.objects.put(...this.#generation(key, takes))
      this.#parts.witness.savePlaced(key, save.saveId, found.state)
    })
    yield* placing
    yield* this.#removeExpired(key, save.version)
    return true
  }

  #generation(key: string, object: StoredObject): [string, string, StoredObject] {
    return [key, ...this.#named({ ...object, kind: "save" })]
  }
}
