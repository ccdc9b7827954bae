import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { useMemo, useSyncExternalStore } from "react"

import type { ClientRoom } from "../client/ClientRoom.ts"
import type { FieldName, RecordOf } from "../client/RecordEvents.ts"
import type { SingletonName } from "../client/RelayOp.ts"
import { type AnyRoom, type Shown, storeOf } from "./RoomStore.ts"

/** A record of a collection, whatever it holds. */
interface AnyRecord {
  readonly id: number
}

/**
 * One field of a record, or of a singleton by its name. The component renders when that field changes, and at no other change.
 * A value with parts is the same object until it changes. The field of a record that is gone keeps its last value.
 *
 * @param of a record of the room, as `useRecords` gives it, or the name of a singleton
 */
export function useField<
  S extends AnyRoomSchema,
  N extends SingletonName<S>,
  F extends FieldName<RecordOf<S, N>>
>(room: ClientRoom<S>, of: N, field: F): RecordOf<S, N>[F]
export function useField<S extends AnyRoomSchema, R extends AnyRecord, F extends FieldName<R>>(
  room: ClientRoom<S>,
  of: R,
  field: F
): R[F]
export function useField(room: AnyRoom, of: string | AnyRecord, field: string): unknown {
  const shown = useMemo(() => shownField(room, of, field), [room, of, field])
  return useSyncExternalStore(shown.subscribe, shown.get, shown.get)
}

const shownField = (room: AnyRoom, of: string | AnyRecord, field: string): Shown<unknown> => {
  const fields = [field]
  const store = storeOf(room)
  if (typeof of !== "string") {
    const read = (): unknown => Reflect.get(of, field)
    return store.show({ part: collectionOf(room, of), id: of.id, fields, read })
  }
  // A singleton is another object in a room of another schema.
  const read = (): unknown => Reflect.get(Reflect.get(room.state, of), field)
  return store.show({ part: of, id: null, fields, read })
}

/** The collection that has a record; `null` = it is gone. */
const collectionOf = ({ state }: AnyRoom, record: AnyRecord): string | null => {
  const has = (part: object): boolean =>
    "get" in part && typeof part.get === "function" && part.get(record.id) === record
  return Object.entries(state).find(([, part]) => has(part))?.[0] ?? null
}
