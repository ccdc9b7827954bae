import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { Schema } from "effect"

import type { ObjectEntry } from "../objects/ObjectStore.ts"

/**
 * Keys of what is stored about a room. All of it lies under one prefix, so that one listing tells
 * everything about the room: `rooms/<project>/<room>/…`. The version has leading zeros, so that the
 * order of keys is the order of versions.
 */
export const roomPrefix = (key: RoomKey): string => `rooms/${key.projectId}/${key.roomId}/`

const versionText = (version: number): string => String(version).padStart(10, "0")

export const snapshotKey = (key: RoomKey, version: number): string =>
  `${roomPrefix(key)}snapshot/${versionText(version)}`

export const savesPrefix = (key: RoomKey, version: number): string =>
  `${roomPrefix(key)}saves/${versionText(version)}/`

/** Of all versions. */
export const allSavesPrefix = (key: RoomKey): string => `${roomPrefix(key)}saves/`

/** The order of these keys says nothing: the manifests tell which generation is newer. */
export const saveKey = (
  key: RoomKey,
  save: { readonly version: number; readonly saveId: string }
) => `${savesPrefix(key, save.version)}${save.saveId}`

export const alarmKey = (key: RoomKey): string => `${roomPrefix(key)}alarm`

export const bundleKey = (projectId: ProjectId, version: number): string =>
  `bundles/${projectId}/${versionText(version)}`

/** What a snapshot says of itself: enough to wake the room, and to list it without a row. */
export const SnapshotManifest = Schema.Struct({
  kind: Schema.Literals(["snapshot", "save"]),
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  version: Schema.Int,
  schemaHash: Schema.String,
  epoch: Schema.Int,
  /** Why the generation exists; of the snapshot itself `restore` until the room stores the next. */
  reason: Schema.NullOr(Schema.Literals(["interval", "hibernate", "manual", "restore"])),
  /** Moment of the state, Unix milliseconds. */
  takenAtMs: Schema.Int,
  stateBytes: Schema.Int
})
export type SnapshotManifest = typeof SnapshotManifest.Type

const isSnapshotManifest = Schema.is(SnapshotManifest)

/**
 * The room's newest snapshot: that of its latest incarnation, whichever version it ran. Epochs only
 * grow, while a clock may be set back.
 */
export const newestSnapshot = (
  key: RoomKey,
  entries: ReadonlyArray<ObjectEntry>
): { readonly entry: ObjectEntry; readonly manifest: SnapshotManifest } | null => {
  const prefix = `${roomPrefix(key)}snapshot/`
  let newest: { entry: ObjectEntry; manifest: SnapshotManifest } | null = null
  for (const entry of entries) {
    if (!entry.key.startsWith(prefix) || !isSnapshotManifest(entry.manifest)) continue
    if (newest === null || isNewer(entry.manifest, newest.manifest)) {
      newest = { entry, manifest: entry.manifest }
    }
  }
  return newest
}

/** A save generation, as a listing tells of it. */
export interface StoredSave {
  readonly saveId: string
  readonly entry: ObjectEntry
  readonly manifest: SnapshotManifest
}

/** The save generations of all versions, newest first. Spec: Save generation. */
export const storedSaves = (
  key: RoomKey,
  entries: ReadonlyArray<ObjectEntry>
): ReadonlyArray<StoredSave> => {
  const prefix = allSavesPrefix(key)
  const saves: Array<StoredSave> = []
  for (const entry of entries) {
    const { manifest } = entry
    if (!entry.key.startsWith(prefix) || !isSnapshotManifest(manifest)) continue
    saves.push({ saveId: entry.key.slice(entry.key.lastIndexOf("/") + 1), entry, manifest })
  }
  return saves.sort((one, other) => newerFirst(one.entry, other.entry))
}

const isNewer = (one: SnapshotManifest, other: SnapshotManifest): boolean =>
  one.epoch === other.epoch ? one.takenAtMs >= other.takenAtMs : one.epoch > other.epoch

/** Generations of one version past the newest that are kept. Spec: Storage limits. */
export const expiredSaves = (
  entries: ReadonlyArray<ObjectEntry>,
  kept: number = RoomLimits.saveGenerations.max
): ReadonlyArray<string> => {
  return [...entries]
    .sort(newerFirst)
    .slice(kept)
    .map((entry) => entry.key)
}

const newerFirst = (one: ObjectEntry, other: ObjectEntry): number =>
  epochOf(other) - epochOf(one) ||
  other.storedAtMs - one.storedAtMs ||
  (one.key < other.key ? 1 : -1)

const epochOf = ({ manifest }: ObjectEntry): number =>
  isSnapshotManifest(manifest) ? manifest.epoch : 0
