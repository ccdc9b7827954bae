import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { expect, test } from "vitest"

import { exactPaths, withReadablePaths } from "./ExactPaths.ts"

const told = (name: string) =>
  Effect.map(HttpRouter.params, (params) => HttpServerResponse.jsonUnsafe({ name, ...params }))

const Routes = Layer.mergeAll(
  HttpRouter.add("GET", "/", told("first")),
  HttpRouter.add("GET", "/v1/projects", told("projects")),
  HttpRouter.add("GET", "/v1/projects/:id", told("project")),
  HttpRouter.add("GET", "/v1/projects/:id/rooms", told("rooms")),
  HttpRouter.add("GET", "/v1/projects/:id/rooms/:roomId", told("room")),
  HttpRouter.add("GET", "/v1/projects/:id/rooms/:roomId/saves", told("saves"))
)

/** What the routes make of an address, which no client has tidied up; `null` = there is no such route. */
const routed = (url: string): Promise<unknown> =>
  Effect.gen(function* () {
    const app = yield* HttpRouter.toHttpEffect(Routes).pipe(
      Effect.provideService(HttpRouter.RouterConfig, exactPaths)
    )
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/")).modify({ url })
    const response = yield* withReadablePaths(app).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request)
    )
    return yield* Effect.promise(() => HttpServerResponse.toWeb(response).json())
  }).pipe(
    Effect.catchTag("HttpServerError", () => Effect.succeed(null)),
    Effect.scoped,
    Effect.runPromise
  )

test.each([
  ["/", { name: "first" }],
  ["*", null],
  ["/v1/projects", { name: "projects" }],
  ["/v1/projects/p", { name: "project", id: "p" }],
  ["/v1/projects/p?x=1;y#z", { name: "project", id: "p" }],
  ["/v1/projects/p/rooms/R:_~.-9", { name: "room", id: "p", roomId: "R:_~.-9" }],
  ["/v1/projects/p/rooms/a/saves", { name: "saves", id: "p", roomId: "a" }],
  ["/v1/projects/%70/rooms", { name: "rooms", id: "p" }]
])("[D-05] %s is found", async (url, found) => {
  expect(await routed(url)).toEqual(found)
})

test.each([
  "/v1/projects/p/",
  "/v1/projects/p/rooms/../",
  "//v1/projects",
  "/v1//projects",
  "/V1/projects",
  "/v1/Projects/p",
  "/v1/projects/p/ROOMS"
])("[D-05] %s is no other path's name", async (url) => {
  expect(await routed(url)).toBeNull()
})

test.each([
  ["a;b", "a;b"],
  ["a#b", "a#b"],
  ["a%3Bb", "a;b"],
  ["a%2Fb", "a/b"],
  ["a%3Fb", "a?b"],
  ["%", "%"],
  ["%zz", "%zz"],
  ["%ff", "%ff"],
  ["%2e%2e", ".."],
  ["..", ".."],
  ["%00", "\0"],
  ["%F0%9F%98%80", "😀"]
])("[D-05] %s in a path is an id, be it that of nothing", async (written, roomId) => {
  expect(await routed(`/v1/projects/p/rooms/${written}`)).toEqual({ name: "room", id: "p", roomId })
  expect(await routed(`/v1/projects/p/rooms/${written}/saves?x=%zz`)).toMatchObject({ roomId })
})

test.each([
  ["/v1/projects/", { name: "project", id: "" }],
  ["/v1/projects//rooms", { name: "rooms", id: "" }],
  ["/v1/projects/p/rooms/", { name: "room", id: "p", roomId: "" }]
])("[D-05] in %s an id is empty, which names nothing", async (url, found) => {
  expect(await routed(url)).toEqual(found)
})

test.each([100, 101, RoomLimits.roomIdChars.max, RoomLimits.roomIdChars.max + 1, 8000])(
  "[limits.roomIdChars] an id of %i characters arrives as it is",
  async (length) => {
    const roomId = "x".repeat(length)
    expect(await routed(`/v1/projects/p/rooms/${roomId}`)).toMatchObject({ roomId })
    expect(await routed(`/v1/projects/${roomId}/rooms`)).toMatchObject({ id: roomId })
  }
)
