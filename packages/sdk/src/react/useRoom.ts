import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { useMemo, useSyncExternalStore } from "react"

import type { ClientRoom } from "../client/ClientRoom.ts"
import { RoomStay, type RoomStatus } from "./RoomStay.ts"

/**
 * Joins a room while the component is there, and leaves it when the component goes.
 *
 * @param join `() => client.joinOrCreate(schema)`, or any other way to a room
 * @param deps what `join` depends on, as of `useEffect`: with another value the room is left, and `join` is called again
 */
export const useRoom = <S extends AnyRoomSchema>(
  join: () => Promise<ClientRoom<S>>,
  deps: ReadonlyArray<unknown>
): RoomStatus<S> => {
  const stay = useMemo(() => new RoomStay(join), deps)
  return useSyncExternalStore(stay.subscribe, stay.get, stay.get)
}
