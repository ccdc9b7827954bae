import type { RoomClass } from "@atrium/wire/rooms/RoomClass"

/** What a room plays: the writes that it has taken, in their order. */
export type PlayState = ReadonlyArray<number>

/** What one version of a project's code says of a room type. */
export interface DeployedType {
  readonly type: string
  readonly class: RoomClass
  readonly retention: string | null
}

export interface Deployment {
  readonly version: number
  readonly types: ReadonlyArray<DeployedType>
  readonly relay: boolean
  /** Its rooms fail at their start. */
  readonly broken: boolean
}

/** A stored object of a room. See actors/store/RoomObjects.ts. */
export interface StoredObject {
  readonly kind: "snapshot" | "save" | "alarm"
  readonly epoch: number
  readonly version: number
  readonly type: string
  readonly state: PlayState
  readonly saveId: string | null
  /** Of an alarm sidecar: when they are due. */
  readonly alarms: ReadonlyArray<number>
  readonly takenAtMs: number
  readonly storedAtMs: number
}

export const snapshotKey = (version: number): string => `snapshot/${version}`
export const savesPrefix = (version: number): string => `saves/${version}/`
export const alarmKey = "alarm"

/** The snapshot of the latest incarnation. See `newestSnapshot` in actors/store/RoomObjects.ts. */
export const newestSnapshot = (objects: Iterable<StoredObject>): StoredObject | null => {
  let newest: StoredObject | null = null
  for (const one of objects) {
    if (one.kind !== "snapshot") continue
    if (newest === null || isNewer(one, newest)) newest = one
  }
  return newest
}

const isNewer = (one: StoredObject, other: StoredObject): boolean =>
  one.epoch === other.epoch ? one.takenAtMs >= other.takenAtMs : one.epoch > other.epoch

/** Newest first. See `newerFirst` in actors/store/RoomObjects.ts. */
export const newerFirst = (one: StoredObject, other: StoredObject): number =>
  other.epoch - one.epoch ||
  other.storedAtMs - one.storedAtMs ||
  ((one.saveId ?? "") < (other.saveId ?? "") ? 1 : -1)
