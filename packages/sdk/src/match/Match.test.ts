import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { expect, test } from "vitest"

import { Client } from "../client/Client.ts"
import { FakeTime } from "../client/testing/FakeTime.ts"
import { match, party } from "./Match.ts"

const schema = defineSchema({ type: "board", queue: "duo" })
const since = "2026-01-01T03:04:05.006Z"
const ticket = (status: string, more: object = {}) =>
  Response.json({ ticket: "mt_1", queue: "duo", status, since, ...more })

/** A service that answers in turn. */
const stage = (...answers: ReadonlyArray<() => Response>) => {
  const time = new FakeTime()
  const asked: Array<readonly [string, unknown]> = []
  const left = [...answers]
  const port = time.port({
    fetch: async (input, init) => {
      const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null
      asked.push([String(input).replace("http://rooms.example", ""), body])
      const answer = left.shift()
      if (answer === undefined) throw new TypeError("no")
      return answer()
    }
  })
  const client = new Client("http://rooms.example", { token: "mine", project: "p_1" }, port)
  return { time, asked, client }
}

test("[D-31] tells why it waits, goes on after refusals that pass, and tells when nobody came", async () => {
  const { time, asked, client } = stage(
    () => ticket("waiting", { why: "the queue has 1 of 2" }),
    () => Response.json({ error: { code: "E_NOT_READY", message: "no" } }, { status: 503 }),
    () => ticket("expired")
  )
  const told: Array<unknown> = []
  const ends = match(client, schema, { waitMs: 9, onProgress: (each) => told.push(each) }).catch(
    (error: unknown) => error
  )
  await time.flow(10_000)
  expect(await ends).toMatchObject({ code: "E_NO_MATCH" })
  const progress = { since: new Date(since), why: "the queue has 1 of 2" }
  expect(told).toEqual([progress, progress])
  const project = "p_1"
  const poll = [`/match/ticket/mt_1?project=${project}`, null]
  expect(asked).toEqual([
    ["/match", { project, queue: "duo", identity: "mine", waitMs: 9 }],
    poll,
    poll
  ])
})

test.each<[string, () => Response, string]>([
  ["another ticket of the player", () => ticket("retired"), "E_NO_MATCH"],
  ["a match without a room", () => ticket("matched"), "E_PROTOCOL"],
  [
    "a refusal of the service",
    () => Response.json({ error: { code: "E_PARTY_FULL", message: "no" } }, { status: 409 }),
    "E_PARTY_FULL"
  ]
])("[D-31] rejects for %s", async (_, answer, code) => {
  const { client } = stage(answer)
  await expect(match(client, schema)).rejects.toMatchObject({ code })
})

test("[D-31] a wait that is ended asks no more", async () => {
  const { time, asked, client } = stage(() => ticket("waiting"))
  const stopped = new AbortController()
  const ends = match(client, schema, { signal: stopped.signal }).catch((error: unknown) => error)
  await time.flow(0)
  stopped.abort()
  expect(await ends).toMatchObject({ name: "AbortError" })
  await time.flow(10_000)
  expect(asked).toHaveLength(1)
})

test("[match.party.size] a party has a code, and the moment of its end", async () => {
  const { client, asked } = stage(() => Response.json({ code: "7K3P-V0QA", expiresAt: since }))
  expect(await party(client, { size: 3 })).toEqual({
    code: "7K3P-V0QA",
    expiresAt: new Date(since)
  })
  expect(asked).toEqual([["/match/party", { project: "p_1", size: 3 }]])
})
