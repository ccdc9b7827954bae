import { CodecError } from "@atrium/wire/codec/CodecError"
import { makeRoomState } from "@atrium/wire/codec/RoomState"
import type { HiddenDefinition, HiddenOf } from "@atrium/wire/schema/HiddenState"
import type { StateOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"

import { isRoomDefinition, type RoomDefinition } from "./DefineRoom.ts"
import { partsOfState } from "./PartsOfState.ts"
import { decodeSnapshotFile } from "./SnapshotFile.ts"

/** The contents of a save generation. */
interface ReadSave<S extends AnyRoomSchema, H extends HiddenDefinition> {
  readonly state: StateOf<S>
  /** What no client was told of. */
  readonly hidden: HiddenOf<H>
  /** Ticks that had run. */
  readonly tick: number
  readonly lobby: { readonly isPublic: boolean; readonly started: boolean }
}

/**
 * Decodes the bytes of a save generation, as `GET …/saves/:saveId/bytes` answers them. They hold the whole state,
 * the hidden one too.
 *
 * @param room the room, as `defineRoom` made it, or its schema if it has no hidden state: of the version that the
 * save was written with, whose `schemaHash` is in the list of saves
 *
 * Errors: `MsgpackError` for bytes that are no save, `CodecError` for a state of another schema.
 * Source: spec "What the service does"; C-723.
 */
export const readSave = <S extends AnyRoomSchema, H extends HiddenDefinition = {}>(
  room: S | RoomDefinition<S, H>,
  bytes: Uint8Array
): ReadSave<S, H> => {
  const schema: AnyRoomSchema = isRoomDefinition(room) ? room.schema : room
  const stored = isRoomDefinition(room) ? (room.stored ?? schema) : schema
  const { state, tick, lobby, layout } = decodeSnapshotFile(bytes)
  if (layout !== undefined && layout !== schemaHash(stored)) {
    throw new CodecError(
      `the save has hidden state of the schema ${layout}: read it with the room that wrote it`
    )
  }
  const all = makeRoomState(stored)
  all.loadSnapshot(state)
  // The parts are of the very schema and hidden state that S and H describe.
  return { ...partsOfState({ schema, stored }, all.state), tick, lobby } as ReadSave<S, H>
}
