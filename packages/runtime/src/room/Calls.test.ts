import { packRecord } from "@atrium/wire/codec/RecordCodec"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { arena, type Arena, hooksInto } from "../testing/TestArena.ts"
import { settle, TestRoom } from "../testing/TestRoom.ts"
import type { Room, RoomHandlers } from "./Room.ts"
import { RpcError } from "./RpcError.ts"

const open = (more: RoomHandlers<Arena> = {}): TestRoom<Arena> => {
  const room = new TestRoom(arena, hooksInto([], more))
  room.joined(1)
  return room
}
const ok = packRecord(arena.rpc.client.list[0]?.returns ?? [], { ok: true }, "place")
const choose = arena.rpc.server.list[0]

describe("messages", () => {
  test("[D-24] a handler gets the payload by its schema; * gets the rest", () => {
    const seen: unknown[] = []
    const room = open({
      onMessage: {
        chat: (_, client, { text }) => void seen.push([client.id, text]),
        "*": (...[, , name, payload]) => void seen.push([name, payload])
      }
    })
    room.message(1, "chat", { text: "hi" })
    room.message(1, "hit", { by: 3 })
    room.frame(1, 2, 2, { any: [1, null] })
    expect(seen).toEqual([
      ["s1", "hi"],
      ["hit", { by: 3 }],
      ["anything", { any: [1, null] }]
    ])
  })

  test("[D-24] a message without a handler is told once in the log", () => {
    const room = open()
    room.message(1, "hit", { by: 3 })
    room.message(1, "hit", { by: 3 })
    expect(room.logged()).toHaveLength(1)
  })

  test("[D-24] a handler that throws, now or later, is logged and the room goes on", async () => {
    const room = open({
      onMessage: {
        chat: () => {
          throw new Error("now")
        },
        hit: () => Promise.reject(new Error("later"))
      }
    })
    room.message(1, "chat", { text: "hi" })
    room.message(1, "hit", { by: 3 })
    await settle()
    const lines = room.logged().map(([, , line]) => String(line).split("\n")[0])
    expect(lines).toEqual(["onMessage.chat: Error: now", "onMessage.hit: Error: later"])
    room.rpc(1, { id: 1, name: "place", args: { cell: 1 } })
    expect(room.reports()).toEqual([["deliver", [1], [19, 1, true, ok]]])
  })

  test.each<[string, ReadonlyArray<unknown>, number | null]>([
    ["an unknown index", [2, 3, new Uint8Array(0)], 3],
    ["bytes that are cut", [2, 0, new Uint8Array([9, 1])], 0],
    ["bytes that are left over", [2, 1, new Uint8Array([9, 1])], 1],
    ["a payload of the wrong type", [2, 0, "text"], 0],
    ["no payload", [2, 0], 0]
  ])("[D-24] a bad frame is answered by an error and the room goes on: %s", (_, frame, re) => {
    const room = open()
    room.frame(1, ...frame)
    expect(room.reports()).toEqual([
      ["deliver", [1], [21, "E_BAD_MESSAGE", expect.any(String), re]]
    ])
    room.rpc(1, { id: 1, name: "place", args: { cell: 1 } })
    expect(room.reports()).toHaveLength(1)
  })

  test("[D-24] no bytes of a client end the room", () => {
    const room = open({ onMessage: { "*": () => {} } })
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      // The start of an honest frame, so that more of the room is reached.
      fc
        .tuple(fc.constantFrom(2, 3, 6), fc.nat(4), fc.uint8Array({ maxLength: 60 }))
        .map(([type, index, rest]) => new Uint8Array([0x94, type, index, ...rest]))
    )
    fc.assert(
      fc.property(bytes, (frame) => {
        room.order(Orders.data(1, frame))
        expect(room.port.ended).toBe(false)
      }),
      { numRuns: 3000 }
    )
    room.reports()
    room.rpc(1, { id: 1, name: "place", args: { cell: 1 } })
    expect(room.reports().at(-1)).toEqual(["deliver", [1], [19, 1, true, ok]])
  })

  test("[D-24] frames of a client that is gone are ignored", () => {
    const room = open()
    room.frame(2, 2, 0)
    room.order(Orders.leave(1))
    room.reports()
    room.frame(1, 2, 99)
    expect(room.reports()).toEqual([])
  })

  test("[D-24] a broadcast is encoded once; excepted clients do not get it", () => {
    const room = open({
      onMessage: {
        hit: (it, client, { by }) => it.broadcast("hit", { by }, by === 0 ? {} : { except: client })
      }
    })
    room.joined(2)
    room.joined(3)
    room.message(1, "hit", { by: 0 })
    room.message(1, "hit", { by: 1 })
    expect(room.reports()).toEqual([
      ["deliver", "all", [18, 1, new Uint8Array([0])]],
      ["deliver", [2, 3], [18, 1, new Uint8Array([1])]]
    ])
  })

  test("[D-24] a message that does not fit its schema throws where it is sent, and nothing leaves", () => {
    const room = open({
      onMessage: { hit: (it, client) => it.send(client, "chat", { text: "x".repeat(21) }) }
    })
    room.message(1, "hit", { by: 0 })
    expect(room.reports()).toEqual([])
    room.message(1, "hit", { by: 0 })
    expect(room.logged()[0]?.[2]).toContain("messages.chat.text: ")
  })
})

describe("RPCs of clients", () => {
  test("[C-404] in `dev` the service gets the error of a failed call for its client", async () => {
    const place = (): never => {
      throw new Error("boom\n" + "x".repeat(200))
    }
    const hooks = hooksInto([], { rpc: { place, keep: () => Promise.reject("late") } })
    const room = new TestRoom(arena, hooks, { projectId: "dev" })
    room.joined(1)
    room.rpc(1, { id: 7, name: "place", args: { cell: 4 } })
    room.rpc(1, { id: 8, name: "keep", args: {} })
    await settle()
    const told = room.reports().map(([name, failure]) => [name, failure])
    expect(told).toEqual([
      [
        "callFailed",
        {
          ref: 1,
          callId: 7,
          message: expect.stringMatching(/^boom\nx+…$/),
          stack: expect.stringMatching(/^Error: boom\n[^]*\n    at Object.place /)
        }
      ],
      ["callFailed", { ref: 1, callId: 8, message: "late", stack: "thrown: late" }]
    ])
  })

  test("[D-24] the answer is packed by the schema and follows the patch of the call", () => {
    const room = open({
      rpc: {
        place: (it, _, { cell }) => {
          it.state.score.red = cell
          return { ok: true }
        },
        keep: () => ({ ok: true })
      }
    })
    room.rpc(1, { id: 7, name: "place", args: { cell: 4 } })
    expect(room.reports()).toEqual([
      ["deliver", "all", [17, 1, expect.anything()]],
      ["deliver", [1], [19, 7, true, ok]]
    ])
  })

  test.each<[string, () => never | Promise<never>, [string, string], number]>([
    [
      "a refusal",
      () => {
        throw new RpcError("E_TAKEN", "cell 4 is taken")
      },
      ["E_TAKEN", "cell 4 is taken"],
      0
    ],
    ["a later refusal", () => Promise.reject(new RpcError("E_TAKEN", "x")), ["E_TAKEN", "x"], 0],
    [
      "a bug",
      () => {
        throw new Error("secret")
      },
      ["E_RPC_FAILED", "the room could not answer the call"],
      1
    ],
    [
      "a code that is none",
      () => {
        throw new RpcError("taken", "x")
      },
      ["E_RPC_FAILED", "the room could not answer the call"],
      1
    ],
    [
      "a wrong answer",
      () => ({ ok: 3 }) as never,
      ["E_RPC_FAILED", "the room could not answer the call"],
      1
    ]
  ])(
    "[D-24] %s reaches the caller, and never the text of a bug",
    async (...[, place, answer, lines]) => {
      const room = open({ rpc: { place, keep: () => ({ ok: true }) } })
      room.rpc(1, { id: 7, name: "place", args: { cell: 4 } })
      await settle()
      const logged = room.port.reports.filter(([name]) => name === "log")
      expect(room.reports()).toEqual([["deliver", [1], [19, 7, false, answer]]])
      expect(logged).toHaveLength(lines)
    }
  )

  test("[D-24] bad arguments and unknown RPCs are refused", () => {
    const room = open()
    room.frame(1, 3, 8, 0, new Uint8Array([1, 2]))
    room.frame(1, 3, 9, 2, new Uint8Array([1]))
    expect(room.reports()).toMatchObject([
      ["deliver", [1], [19, 8, false, ["E_BAD_MESSAGE", expect.stringContaining("place: ")]]],
      ["deliver", [1], [19, 9, false, ["E_BAD_MESSAGE", "RPC 2 is not of the schema"]]]
    ])
  })

  test("[D-24] 256 calls may wait, one more is refused", () => {
    const room = open({ rpc: { place: () => new Promise(() => {}), keep: () => ({ ok: true }) } })
    for (let id = 1; id <= 256; id++) room.rpc(1, { id, name: "place", args: { cell: 1 } })
    expect(room.reports()).toEqual([])
    room.rpc(1, { id: 257, name: "place", args: { cell: 1 } })
    expect(room.reports()).toMatchObject([
      ["deliver", [1], [19, 257, false, ["E_RPC_BUSY", expect.anything()]]]
    ])
  })

  test("[D-24] an answer to an older connection is not given to the newer", async () => {
    let answer = (): void => {}
    const room = open({
      rpc: {
        place: () =>
          new Promise((resolve) => {
            answer = () => resolve({ ok: true })
          }),
        keep: () => ({ ok: true })
      }
    })
    room.rpc(1, { id: 7, name: "place", args: { cell: 4 } })
    room.order(Orders.drop(1))
    room.joined(2, { playerId: "p1", resumeHash: "h1" })
    answer()
    await settle()
    expect(room.reports()).toEqual([])
  })
})

describe("RPCs of the room", () => {
  const ask = (timeoutMs?: number) => {
    const outcomes: unknown[] = []
    let live: Room<Arena> | undefined
    const room = open({
      onMessage: {
        hit: (it, client, { by }) => {
          live = it
          const options = timeoutMs === undefined ? {} : { timeoutMs }
          it.request(client, "choose", { of: by }, options).then(
            (answer) => outcomes.push(answer),
            (error: unknown) => outcomes.push(error instanceof RpcError ? error.code : error)
          )
        }
      }
    })
    room.message(1, "hit", { by: 3 })
    return { room, outcomes, live: () => live }
  }
  const args = packRecord(choose?.args ?? [], { of: 3 }, "choose")
  const card = packRecord(choose?.returns ?? [], { card: 5 }, "choose")

  test("[D-24] a client's answer resolves the call", async () => {
    const { room, outcomes } = ask()
    await settle()
    expect(room.reports()).toEqual([["deliver", [1], [23, 1, 0, args]]])
    room.frame(1, 6, 1, true, card)
    await settle()
    expect(outcomes).toEqual([{ card: 5 }])
  })

  test.each<[string, ReadonlyArray<unknown>, string]>([
    ["a refusal", [6, 1, false, ["E_NO_CARD", "none left"]], "E_NO_CARD"],
    ["a refusal without a code", [6, 1, false, 7], "E_RPC_FAILED"],
    ["an answer that does not fit", [6, 1, true, new Uint8Array(9)], "E_RPC_FAILED"]
  ])("[D-24] %s rejects the call", async (_, frame, code) => {
    const { room, outcomes } = ask()
    await settle()
    room.frame(1, ...frame)
    await settle()
    expect(outcomes).toEqual([code])
  })

  test("[D-24] no answer in time rejects the call; a late one is ignored", async () => {
    const { room, outcomes } = ask(300)
    await settle()
    room.port.pass(299)
    await settle()
    expect(outcomes).toEqual([])
    room.port.pass(1)
    await settle()
    expect(outcomes).toEqual(["E_RPC_TIMEOUT"])
    room.reports()
    room.frame(1, 6, 1, true, card)
    expect(room.reports()).toEqual([])
  })

  test("[D-24] a drop rejects what waits, and a dropped client cannot be asked", async () => {
    const { room, outcomes, live } = ask()
    await settle()
    room.order(Orders.drop(1))
    await settle()
    expect(outcomes).toEqual(["E_CLIENT_GONE"])
    const client = live()?.clients.get("s1")
    expect(client?.connected).toBe(false)
    if (client !== undefined) {
      await expect(live()?.request(client, "choose", { of: 1 })).rejects.toThrow("not connected")
    }
  })

  test("[D-24] a client cannot answer a call that the room made to another client", async () => {
    const { room, outcomes } = ask()
    room.joined(2)
    room.frame(2, 6, 1, true, card)
    await settle()
    expect(outcomes).toEqual([])
  })
})

test("[C-418] code that goes on after the last snapshot acknowledges nothing", async () => {
  const goOn: Array<(value: unknown) => void> = []
  const room = open({
    rpc: {
      place: async () => {
        await new Promise((resolve) => goOn.push(resolve))
        if (goOn.length > 1) throw new RpcError("E_LATE", "late")
        return { ok: true }
      },
      keep: () => ({ ok: true })
    }
  })
  room.rpc(1, { id: 1, name: "place", args: { cell: 1 } })
  room.snapshot()
  goOn[0]?.(null)
  await settle()
  expect(room.reports()).toEqual([["deliver", [1], [19, 1, true, ok]]])
  room.rpc(1, { id: 2, name: "place", args: { cell: 1 } })
  room.snapshot(true)
  goOn[1]?.(null)
  await settle()
  expect(room.reports()).toEqual([])
})
