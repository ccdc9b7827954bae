import {
  decodeSnapshotFile,
  encodeSnapshotFile,
  type RoomSnapshot
} from "@atrium/runtime/room/SnapshotFile"
import { type Plain, unpackValue } from "@atrium/wire/msgpack/MsgpackReader"

/** Who owns a record of a stored state. */
export type KeptOwner = readonly [collection: string, key: number, sessionId: string]

/** The file of every room's snapshot, and who owns what beside it. */
export interface RelaySnapshot extends RoomSnapshot {
  readonly owners: ReadonlyArray<KeptOwner>
}

export const encodeRelaySnapshot = (snapshot: RelaySnapshot): Uint8Array =>
  encodeSnapshotFile(snapshot)

/** Errors: `MsgpackError`, for bytes that are not a snapshot of a known version. */
export const decodeRelaySnapshot = (bytes: Uint8Array): RelaySnapshot => ({
  ...decodeSnapshotFile(bytes),
  owners: ownersIn(unpackValue(bytes))
})

const ownersIn = (file: Plain): ReadonlyArray<KeptOwner> => {
  const list: unknown = typeof file === "object" && file !== null ? Reflect.get(file, "owners") : []
  return Array.isArray(list) ? list.flatMap(ownerOf) : []
}

const ownerOf = (entry: unknown): ReadonlyArray<KeptOwner> => {
  if (!Array.isArray(entry)) return []
  const [collection, key, sessionId]: ReadonlyArray<unknown> = entry
  const whole = typeof collection === "string" && typeof sessionId === "string"
  return whole && typeof key === "number" ? [[collection, key, sessionId]] : []
}
