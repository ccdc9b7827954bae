import { packPlayer, unpackPlayer } from "@atrium/wire/codec/PlayerCodec"
import { describe, expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { arena, type Arena, hooksInto } from "../testing/TestArena.ts"
import { TestRoom } from "../testing/TestRoom.ts"
import type { RoomHandlers } from "./Room.ts"

const open = (more: RoomHandlers<Arena> = {}): TestRoom<Arena> => {
  const room = new TestRoom(arena, hooksInto([], more))
  room.reports()
  return room
}

describe("persisted player fields", () => {
  const stored = (wins: number): Uint8Array => packPlayer(arena.player, { wins, title: "x" })
  const wins = (report: ReadonlyArray<unknown> | undefined): unknown =>
    unpackPlayer(arena.player, report?.[2] as Uint8Array)["wins"]

  test("[limits.player-fields.bytes] a change is reported once per turn, with all fields", () => {
    const room = open({
      onJoin: (_, { player }) => {
        player.wins++
        player.wins++
      }
    })
    room.join(1, { player: stored(5) })
    const players = room.reports().filter(([name]) => name === "player")
    expect(players).toHaveLength(1)
    expect(players[0]?.[1]).toBe("p1")
    expect(wins(players[0])).toBe(7)
  })

  test("[limits.player-fields.bytes] a value that does not fit throws, names the field, and is not stored", () => {
    const errors: string[] = []
    const room = open({
      onJoin: (_, { player }) => {
        for (const [name, value] of [
          ["wins", -1],
          ["title", "123456789"],
          ["nope", 1]
        ] as const) {
          try {
            if (!Reflect.set(player, name, value)) errors.push("refused")
          } catch (error) {
            errors.push(String(error))
          }
        }
      }
    })
    room.join(1, { player: stored(5) })
    expect(errors[0]).toContain("player.wins: ")
    expect(errors[1]).toContain("player.title: ")
    expect(errors[2]).toBe("refused")
    expect(room.reports().map(([name]) => name)).not.toContain("player")
  })

  test("[D-48] two clients of one player share the fields", () => {
    const room = open({ onMessage: { hit: (_, { player }) => void player.wins++ } })
    room.joined(1, { playerId: "ada", player: stored(5) })
    room.joined(2, { playerId: "ada", player: stored(5) })
    room.message(1, "hit", { by: 1 })
    room.message(2, "hit", { by: 1 })
    expect(wins(room.reports()[0])).toBe(7)
  })

  test("[D-48] after a restart the stored fields count, not the snapshot's", () => {
    const before = open()
    before.joined(1, { player: stored(5) })
    before.joined(2, { player: stored(5) })
    const snapshot = before.snapshot()
    const onLeave: RoomHandlers<Arena>["onLeave"] = (_, { player }) => void player.wins++
    const room = new TestRoom(arena, hooksInto([], { onLeave }), { snapshot })
    room.joined(7, { playerId: "p1", attachedAs: "s1", player: stored(6) })
    room.order(Orders.leave(7))
    expect(wins(room.reports().find(([name]) => name === "player"))).toBe(7)
    // Nobody came back for the other: the snapshot's fields are all there is.
    room.port.pass(5000)
    expect(wins(room.reports().find(([name]) => name === "player"))).toBe(6)
  })

  test("[D-48] damaged fields refuse the join instead of being written over", () => {
    const room = open()
    room.join(1, { player: new Uint8Array([0xc1]) })
    expect(room.reports()).toMatchObject([["refused", 1, { code: "E_JOIN_REFUSED" }]])
  })
})
