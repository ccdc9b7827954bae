import { QuickReads } from "@atrium/actors/rooms/QuickReads"
import { makeSecret } from "@atrium/actors/store/Secrets"
import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { expect, test } from "vitest"

import { makeQuickRoomReads } from "./QuickRoomReads.ts"

const projectId = ProjectId.make("p_0123456789abcdef")
const roomId = RoomId.make("a.room~1:b-c_d")
const secret = makeSecret("apiKey")
const usual = `/v1/projects/${projectId}/rooms/${roomId}`

const detail: RoomDetail = {
  roomId,
  status: "hibernated",
  type: "arena",
  class: "standard",
  retention: null,
  retentionOverride: null,
  deletesAt: null,
  saves: 0,
  stateBytes: 0,
  lastSeen: "2026-11-28T20:00:00.000Z"
}

interface Asked {
  readonly path?: string
  readonly method?: string
  readonly authorization?: string
  readonly found?: RoomDetail | null
}

/** @returns the text of the answer, "the API" for what goes on there, and the reads that were asked for */
const ask = async ({
  path = usual,
  method = "GET",
  authorization = `Bearer ${secret}`,
  found = detail
}: Asked) => {
  const reads: Array<unknown> = []
  const request = new Request(`http://localhost${path}`, { method, headers: { authorization } })
  const withQuickReads = makeQuickRoomReads.pipe(
    Effect.provideService(QuickReads, {
      read: (read) =>
        Effect.sync(() => {
          reads.push(read)
          return found
        })
    })
  )
  const answer = await Effect.flatMap(withQuickReads, (quick) =>
    quick(Effect.succeed(HttpServerResponse.text("the API")))
  ).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request)),
    Effect.map((response) => HttpServerResponse.toWeb(response)),
    Effect.runPromise
  )
  return { text: await answer.text(), reads }
}

test("[C-926] the usual read of a room with a key is answered before the API", async () => {
  const { text, reads } = await ask({})
  expect(text).toBe(JSON.stringify(detail))
  expect(reads).toEqual([{ secret, projectId, roomId }])
})

test("[C-926] what is not known at once goes on to the API", async () => {
  const { text, reads } = await ask({ found: null })
  expect([text, reads.length]).toEqual(["the API", 1])
})

test.each<readonly [string, Asked]>([
  ["another method", { method: "DELETE" }],
  ["a head", { method: "HEAD" }],
  ["a query", { path: `${usual}?force=true` }],
  ["an empty query", { path: `${usual}?` }],
  ["a slash at the end", { path: `${usual}/` }],
  ["a longer path", { path: `${usual}/saves` }],
  ["the list", { path: `/v1/projects/${projectId}/rooms` }],
  ["an escaped sign", { path: `/v1/projects/${projectId}/rooms/%61` }],
  ["an id that is none", { path: `/v1/projects/${projectId}/rooms/${"r".repeat(129)}` }],
  ["a project that is none", { path: `/v1/projects/p_0/rooms/${roomId}` }],
  ["another version", { path: usual.replace("v1", "v2") }],
  ["a login", { authorization: `Bearer ${makeSecret("loginToken")}` }],
  ["a key that is too long", { authorization: `Bearer ${secret}x` }],
  ["two spaces", { authorization: `Bearer  ${secret}` }],
  ["another scheme", { authorization: `Basic ${secret}` }],
  ["two credentials", { authorization: `Bearer ${secret}, Bearer ${secret}` }]
])("[C-926] %s goes on to the API unread", async (_what, asked) => {
  const { text, reads } = await ask(asked)
  expect([asked.method === "HEAD" ? "the API" : text, reads]).toEqual(["the API", []])
})
