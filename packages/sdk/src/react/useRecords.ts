import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { useMemo, useSyncExternalStore } from "react"

import type { ClientRoom } from "../client/ClientRoom.ts"
import type { FieldName, RecordOf } from "../client/RecordEvents.ts"
import type { CollectionName } from "../client/RelayOp.ts"
import { storeOf } from "./RoomStore.ts"

/**
 * The records of a collection, by ascending id. The component renders when a record comes or goes, and when one of the given
 * fields of any record changes. Everything else of a record is for `useField`.
 *
 * @param fields for a list that sorts, counts or shows by them; left out: none
 */
export const useRecords = <S extends AnyRoomSchema, N extends CollectionName<S>>(
  room: ClientRoom<S>,
  collection: N,
  fields: ReadonlyArray<FieldName<RecordOf<S, N>>> = []
): ReadonlyArray<RecordOf<S, N>> => {
  const watched = fields.join()
  const shown = useMemo(
    () =>
      storeOf(room).show({
        part: collection,
        id: null,
        fields: watched.split(","),
        // The view of this name has the records that the type is derived from.
        read: () => [...(room.state[collection] as Iterable<RecordOf<S, N>>)]
      }),
    [room, collection, watched]
  )
  return useSyncExternalStore(shown.subscribe, shown.get, shown.get)
}
