import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { expect, test } from "vitest"

import { Client } from "../client/Client.ts"
import { FakeTime } from "../client/testing/FakeTime.ts"
import { type ListedRoom, rooms, type RoomsOptions } from "./Rooms.ts"

const arena = defineSchema({ type: "arena" })
const room = (roomId: string, more: Partial<ListedRoom> = {}): ListedRoom => ({
  roomId,
  type: "arena",
  clients: 1,
  maxClients: 2,
  metadata: null,
  ...more
})

/** A service that answers in turn, and goes on with its last answer. */
const stage = (options: RoomsOptions, ...answers: ReadonlyArray<() => Response>) => {
  const time = new FakeTime()
  const state = { asked: 0 }
  const port = time.port({
    fetch: (input) => {
      expect(String(input)).toBe("http://rooms.example/v1/lobby?project=p_1")
      const answer = answers[Math.min(state.asked++, answers.length - 1)]
      return Promise.resolve(answer?.() ?? Response.error())
    }
  })
  const client = new Client("http://rooms.example", { project: "p_1" }, port)
  const list = rooms(client, arena, options)
  const told: Array<ReadonlyArray<string>> = []
  list.onChange((now) => void told.push(now.map(({ roomId }) => roomId)))
  return { time, state, list, told }
}

test("[D-21] lists the wanted rooms of the schema's type, and tells when they change", async () => {
  const free = (now: ListedRoom): boolean => now.clients < now.maxClients
  const { time, list, told } = stage(
    { filter: free },
    () => Response.json([room("a"), room("b", { clients: 2 }), room("c", { type: "chess" })]),
    () => Response.json([room("a"), room("b", { metadata: { map: "ice" } })])
  )
  expect(list.rooms).toBeNull()
  await time.flow(2999)
  expect(told).toEqual([["a"]])
  await time.flow(1)
  expect(told).toEqual([["a"], ["a", "b"]])
  expect(list.rooms?.[1]?.metadata).toEqual({ map: "ice" })
})

test("[C-564] asks every three seconds, ever later up to ten while nothing changes, until it is stopped", async () => {
  const { time, state, list } = stage({}, () => Response.json([room("a")]))
  const atMs: Array<number> = []
  for (let seconds = 0; seconds < 45; seconds++) {
    const before = state.asked
    await time.flow(1000)
    if (state.asked > before) atMs.push(seconds)
  }
  // The question of the moment t is seen at the end of the second before it.
  expect(atMs).toEqual([2, 8, 18, 28, 38])
  list.stop()
  await time.flow(100_000)
  expect(state.asked).toBe(6)
})

test("[D-21] ends with a refusal that does not pass", async () => {
  const errors: Array<unknown> = []
  const { time, state } = stage({ onError: (error) => void errors.push(error) }, () =>
    Response.json({ error: { code: "E_NOT_FOUND", message: "no" } }, { status: 404 })
  )
  await time.flow(100_000)
  expect(state.asked).toBe(1)
  expect(errors).toMatchObject([{ code: "E_NOT_FOUND" }])
})
