import { expect, it } from "vitest"

import { defaultCodecs } from "../codec/DefaultCodecs.ts"
import type { HttpAnswer, HttpRequest } from "./HttpProbe.ts"
import { Witness } from "./Witness.ts"

const seenBy = (method: HttpRequest["method"], path: string, [status, code]: [number, string?]) => {
  const witness = new Witness()
  const json = code === undefined ? {} : { error: { code, message: "no" } }
  const text = JSON.stringify(json)
  const answer: HttpAnswer = {
    request: { method, path },
    status,
    headers: {},
    text,
    json,
    tookMs: 1,
    bytes: Buffer.from(text)
  }
  witness.answered(answer, defaultCodecs)
  return witness.list()
}

const room = "/v1/projects/p_0123456789abcdef/rooms/arena"

it("[conformance.capabilities] a route is seen when it does what is asked, with its ids and query", () => {
  expect(seenBy("GET", `${room}?x=1`, [200])).toEqual(["route GET /v1/projects/:id/rooms/:roomId"])
  expect(seenBy("GET", "/v1/leaderboard/wins/top?project=p_1", [200])).toEqual([
    "route GET /v1/leaderboard"
  ])
  expect(seenBy("GET", "/v1/no/such/route", [200])).toEqual([])
})

it("[conformance.capabilities] a route is seen when it refuses for a reason of its own", () => {
  const own = ["route DELETE /v1/projects/:id/rooms/:roomId"]
  for (const answer of [[409, "E_ROOM_IN_USE"], [404, "E_ROOM_NOT_FOUND"], [400]] as const) {
    expect(seenBy("DELETE", room, [...answer])).toEqual(own)
  }
})

it("[conformance.capabilities] a route is not seen in answers that come without it", () => {
  for (const status of [401, 403, 404, 405, 500, 501, 502]) {
    expect(seenBy("DELETE", room, [status]), String(status)).toEqual([])
  }
  expect(seenBy("DELETE", room, [404, "E_NOT_FOUND"])).toEqual([])
})

it("[conformance.capabilities] a command is seen by its words before the flags", () => {
  const seen = (...args: ReadonlyArray<string>): ReadonlyArray<string> => {
    const witness = new Witness()
    witness.ran(args)
    return witness.list()
  }
  expect(seen("rooms", "get", "arena", "--json")).toEqual(["command rooms", "command rooms get"])
  expect(seen("rooms", "--idle", "--url", "http://x")).toEqual(["command rooms"])
  expect(seen("deploy", "--static", "dist")).toEqual(["command deploy --static"])
  expect(seen("migrate", "create", "x")).toContain("command migrate create")
})
