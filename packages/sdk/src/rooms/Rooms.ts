import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { Client } from "../client/Client.ts"
import { Listeners, type Unsubscribe } from "../client/Listeners.ts"
import { fieldsOf, notOfForm, openEndpointsOf, readOpen } from "../client/OpenEndpoints.ts"
import { poll, toldTo } from "../client/Polling.ts"

/** A room that shows itself in the open list of its project. Source: D-21. */
export interface ListedRoom {
  readonly roomId: string
  readonly type: string
  /** Players who are in it. */
  readonly clients: number
  readonly maxClients: number
  /** What the room's code has set with `room.lobby.setMetadata`: any JSON, not checked; `null` = nothing. */
  readonly metadata: unknown
}

/** Whether a room is wanted. */
export type RoomFilter = (room: ListedRoom) => boolean

/** Which rooms are listed, and who hears of the list's end. */
export interface RoomsOptions {
  /** Of the rooms of the schema's type, those that are wanted; absent = all. */
  readonly filter?: RoomFilter
  /**
   * Hears why the list has ended by itself, for example `E_NOT_FOUND`: there is no such project. Without it the
   * error goes to `window.onerror` or `uncaughtException`.
   */
  readonly onError?: (error: unknown) => void
}

/** The rooms that players may choose from, as they are now. */
export interface RoomList {
  /** By their ids, as of the last answer; `null` = none has come yet. */
  readonly rooms: ReadonlyArray<ListedRoom> | null
  /** Hears of the rooms that there are, with the first answer and whenever something of them has changed. */
  onChange(told: (rooms: ReadonlyArray<ListedRoom>) => void): Unsubscribe
  /** Asks no more. */
  stop(): void
}

const path = "/v1/lobby"

/**
 * The rooms of the schema's type that are public, from now on until `stop`. The service is asked every three
 * seconds while something changes, and every ten while nothing does; a room's own clients, flags and metadata
 * come to its list within some seconds. At most 1,000 rooms of a project are listed, those with the lowest ids.
 */
export const rooms = (
  client: Client,
  schema: AnyRoomSchema,
  { filter = () => true, onError }: RoomsOptions = {}
): RoomList => {
  const endpoints = openEndpointsOf(client)
  const project = endpoints.projectOf(schema)
  const listeners = new Listeners<[ReadonlyArray<ListedRoom>]>()
  const { roomsPoll, roomsPollQuiet } = ClientLimits
  let known: ReadonlyArray<ListedRoom> | null = null
  let text = ""
  let waitMs: number = roomsPoll.ms
  const stop = poll(endpoints.port, {
    failed: toldTo(onError),
    ask: async (signal) => {
      const body = await readOpen(endpoints, path, { query: { project }, signal })
      if (!Array.isArray(body)) throw notOfForm(path)
      if (signal.aborted) return 0
      const wanted = body.map(roomOf).filter((room) => room.type === schema.type && filter(room))
      const before = text
      text = JSON.stringify(wanted)
      waitMs = text === before ? Math.min(2 * waitMs, roomsPollQuiet.ms) : roomsPoll.ms
      if (text !== before) {
        known = wanted
        listeners.tell(wanted)
      }
      return waitMs
    }
  })
  return {
    get rooms() {
      return known
    },
    onChange: (told) => listeners.add(told),
    stop
  }
}

const roomOf = (row: unknown): ListedRoom => {
  const { roomId, type, clients, maxClients, metadata = null } = fieldsOf(row)
  if (
    typeof roomId !== "string" ||
    typeof type !== "string" ||
    typeof clients !== "number" ||
    typeof maxClients !== "number"
  ) {
    throw notOfForm(path)
  }
  return { roomId, type, clients, maxClients, metadata }
}
