import { makeRoomState } from "@atrium/wire/codec/RoomState"
import type { StateOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { decodeSnapshotFile } from "./SnapshotFile.ts"

/** The contents of a save generation. */
interface ReadSave<S extends AnyRoomSchema> {
  readonly state: StateOf<S>
  /** Ticks that had run. */
  readonly tick: number
  readonly lobby: { readonly isPublic: boolean; readonly started: boolean }
}

/**
 * Decodes the bytes of a save generation, as `GET …/saves/:saveId/bytes` answers them.
 *
 * @param schema the one that the save was written with: its `schemaHash` is in the list of saves
 *
 * Errors: `MsgpackError` for bytes that are no save, `CodecError` for a state of another schema.
 * Source: spec "What the service does".
 */
export const readSave = <S extends AnyRoomSchema>(schema: S, bytes: Uint8Array): ReadSave<S> => {
  const { state, tick, lobby } = decodeSnapshotFile(bytes)
  const room = makeRoomState(schema)
  room.loadSnapshot(state)
  return { state: room.state, tick, lobby }
}
