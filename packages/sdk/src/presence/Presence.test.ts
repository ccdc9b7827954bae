import { expect, test } from "vitest"

import { Client } from "../client/Client.ts"
import { RequestError } from "../client/ClientErrors.ts"
import { FakeTime } from "../client/testing/FakeTime.ts"
import { presence, type PlayerPresence, watchPresence } from "./Presence.ts"

const since = "2026-01-01T03:04:05.006Z"
const inRoom = (roomId: string | null, cursor: string) =>
  Response.json({
    players: [{ playerId: "ann", roomId, since: roomId === null ? null : since }],
    cursor
  })
const refused = (status: number, code: string, more: object = {}) =>
  Response.json({ error: { code, message: "no", ...more } }, { status })

/** A service that answers in turn; then nothing more comes. */
const stage = (...answers: ReadonlyArray<() => Response | Promise<Response>>) => {
  const time = new FakeTime()
  const asked: Array<string> = []
  const left: Array<() => Response | Promise<Response>> = [...answers]
  const port = time.port({
    fetch: (input, init) => {
      asked.push(String(input).replace("http://rooms.example/v1/presence?project=p_1&", ""))
      const answer = left.shift()
      if (answer !== undefined) return Promise.resolve().then(answer)
      return new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))
      })
    }
  })
  const client = new Client("http://rooms.example", { project: "p_1" }, port)
  return { time, asked, client }
}

test("[D-32] tells the rooms of players and since when", async () => {
  const { client, asked } = stage(() => inRoom("den", "c1"))
  expect(await presence(client, ["ann"])).toEqual([
    { playerId: "ann", roomId: "den", since: new Date(since) }
  ])
  expect(asked).toEqual(["players=ann"])
})

test.each<[string, () => Response | Promise<Response>, object]>([
  [
    "a refusal of the service",
    () => refused(429, "E_RATE_LIMITED", { retryAfterMs: 500 }),
    { code: "E_RATE_LIMITED", retryAfterMs: 500 }
  ],
  ["no connection", () => Promise.reject(new TypeError("no")), { code: "E_UNREACHABLE" }],
  ["another answer", () => Response.json([]), { code: "E_PROTOCOL" }],
  ["a proxy's answer", () => new Response("no", { status: 502 }), { code: "E_UNREACHABLE" }]
])("[D-32] rejects for %s", async (_, answer, error) => {
  const { client } = stage(answer)
  const failure: unknown = await presence(client, ["ann"]).catch((reason: unknown) => reason)
  expect(failure).toBeInstanceOf(RequestError)
  expect(failure).toMatchObject(error)
})

const watching = (...answers: ReadonlyArray<() => Response | Promise<Response>>) => {
  const { client, time, asked } = stage(...answers)
  const told: Array<ReadonlyArray<PlayerPresence>> = []
  const errors: Array<unknown> = []
  const stop = watchPresence(client, ["ann"], {
    onChange: (players) => void told.push(players),
    onError: (error) => void errors.push(error)
  })
  const rooms = () => told.map(([player]) => player?.roomId)
  return { time, asked, errors, stop, rooms }
}

test("[D-32] a watch tells what is now, then each change, and asks with the last cursor", async () => {
  const { time, asked, stop, rooms } = watching(
    () => inRoom("den", "c1"),
    () => inRoom(null, "c2")
  )
  await time.flow(0)
  expect(rooms()).toEqual(["den", null])
  const query = "players=ann&wait=30"
  expect(asked).toEqual([query, `${query}&cursor=c1`, `${query}&cursor=c2`])
  stop()
  await time.flow(100_000)
  expect(asked).toHaveLength(3)
})

test("[D-32] an answer that comes unchanged too early is not followed at once by a question", async () => {
  const { time, asked, rooms } = watching(
    () => inRoom("den", "c1"),
    () => inRoom("den", "c1")
  )
  await time.flow(999)
  expect([rooms(), asked.length]).toEqual([["den"], 2])
  await time.flow(1)
  expect(asked).toHaveLength(3)
})

test("[D-32] a watch goes on after refusals that pass, when the service says so, and ever later", async () => {
  const { time, asked, errors, rooms } = watching(
    () => refused(429, "E_RATE_LIMITED", { retryAfterMs: 3000 }),
    () => Promise.reject(new TypeError("no")),
    () => refused(503, "E_NOT_READY"),
    () => inRoom("den", "c1")
  )
  await time.flow(2999)
  expect(asked).toHaveLength(1)
  await time.flow(1)
  expect([asked.length, time.waitsMs]).toEqual([2, [1500]])
  await time.flow(1500)
  expect([asked.length, time.waitsMs]).toEqual([3, [3000]])
  await time.flow(3000)
  expect([rooms(), errors]).toEqual([["den"], []])
})

test("[D-32] a refusal that does not pass ends the watch, and is told once", async () => {
  const { time, asked, errors } = watching(() => refused(404, "E_NOT_FOUND"))
  await time.flow(100_000)
  expect(asked).toHaveLength(1)
  expect(errors).toMatchObject([{ code: "E_NOT_FOUND" }])
})
