import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"

import { Orders, type StartOrder } from "../host/HostOrders.ts"
import type { Room, RoomHandlers } from "../room/Room.ts"
import type { RoomClient } from "../room/RoomClient.ts"
import { TestRoom } from "./TestRoom.ts"

/** A room type of the tests: every feature once. */
export const arena = defineSchema({
  type: "arena",
  maxClients: 3,
  reconnectForMs: 5000,
  entities: { players: { name: s.string(32), x: s.f32() } },
  singletons: { score: { red: s.u16() } },
  messages: { chat: { text: s.string(20) }, hit: { by: s.u8() }, anything: s.untyped() },
  rpc: {
    client: {
      place: { args: { cell: s.u8() }, returns: { ok: s.bool() } },
      keep: { args: { cell: s.u8() }, returns: { ok: s.bool() }, durable: true }
    },
    server: { choose: { args: { of: s.u8() }, returns: { card: s.u8() } } }
  },
  player: { wins: s.u32(), title: s.string(8) }
})

export type Arena = typeof arena

/** Handlers that write down which hooks ran, and for whom. */
export const hooksInto = (calls: string[], more: RoomHandlers<Arena> = {}): RoomHandlers<Arena> => {
  const at = (name: string) => (_: unknown, client: RoomClient<Arena>) => {
    calls.push(`${name} ${client.id}`)
  }
  return {
    onJoin: at("join"),
    onDrop: at("drop"),
    onReconnect: at("reconnect"),
    onLeave: (_, client, { consented }) =>
      void calls.push(`leave ${client.id} ${consented ? "consented" : "lost"}`),
    rpc: { place: () => ({ ok: true }), keep: () => ({ ok: true }) },
    ...more
  }
}

/** A room, and what its code got as `room`. */
export const live = (
  start: Partial<StartOrder> = {},
  more: RoomHandlers<Arena> = {}
): { readonly room: TestRoom<Arena>; readonly it: Room<Arena> } => {
  const seen: Array<Room<Arena>> = []
  const onAuth = (room: Room<Arena>): boolean => seen.push(room) > 0
  const room = new TestRoom(arena, hooksInto([], { onAuth, ...more }), start)
  room.join(900)
  room.order(Orders.leave(900))
  const [it] = seen
  if (it === undefined) throw new Error("onAuth did not run")
  room.reports()
  room.snapshot()
  return { room, it }
}
