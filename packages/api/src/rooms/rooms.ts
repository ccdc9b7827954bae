import type { RoomList } from "@atrium/actors/rooms/RoomList"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { RoomsApi } from "@atrium/domain/rooms/RoomsApi"
import { durationMs } from "@atrium/wire/time/Duration"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

import { listed } from "../http/ListHeader.ts"
import { wantsEvents } from "../http/LiveStream.ts"
import { liveRooms } from "./LiveRooms.ts"

/** The room that a path names, in the project that the caller reaches. */
const named = ({ roomId }: { readonly roomId: string }) =>
  Effect.map(CallersProject, ({ projectId }) => ({ projectId, roomId }))

/** Rooms, their saves, and what is done to them. */
export const RoomsHandlers = HttpApiBuilder.group(
  apiOf(RoomsApi),
  "rooms",
  Effect.fnUntraced(function* (handlers) {
    const rooms = yield* Rooms
    return handlers.handleAll({
      list: Effect.fn("rooms.list")(function* ({ query }) {
        const { projectId } = yield* CallersProject
        const { active, "idle-longer-than": idle } = query
        const filter = {
          active: active === undefined ? null : active === "true",
          idleLongerThanMs: idle === undefined ? null : durationMs(idle)
        }
        if (yield* wantsEvents) {
          const live = yield* liveRooms({ rooms, projectId, filter })
          if (live !== null) return live
        }
        return arrayOf(yield* rooms.list(projectId, filter))
      }),
      read: Effect.fn("rooms.read")(function* ({ params }) {
        return yield* rooms.read(yield* named(params))
      }),
      set: Effect.fn("rooms.set")(function* ({ params, payload }) {
        return yield* rooms.set(yield* named(params), payload)
      }),
      delete: Effect.fn("rooms.delete")(function* ({ params, query }) {
        const objects = yield* rooms.delete(yield* named(params), { force: query.force === "true" })
        return { roomId: params.roomId, objects }
      }),
      saves: Effect.fn("rooms.saves")(function* ({ params }) {
        return yield* rooms.saves(yield* named(params))
      }),
      saveBytes: Effect.fn("rooms.saveBytes")(function* ({ params }) {
        const { bytes, etag } = yield* rooms.saveBytes(yield* named(params), params.saveId)
        const request = yield* HttpServerRequest.HttpServerRequest
        const known = listed(request.headers["if-none-match"]).includes(etag)
        return known
          ? HttpServerResponse.empty({ status: 304, headers: { etag } })
          : HttpServerResponse.uint8Array(bytes, {
              headers: {
                etag,
                // Bytes of a tenant: no browser shows or runs them.
                "content-disposition": `attachment; filename="${params.saveId}.save"`,
                "x-content-type-options": "nosniff"
              }
            })
      }),
      restore: Effect.fn("rooms.restore")(function* ({ params, payload }) {
        return yield* rooms.restore(yield* named(params), payload.saveId)
      })
    })
  })
)

/** A list as a JSON array. */
const arrayOf = (list: RoomList): HttpServerResponse.HttpServerResponse => {
  // Yield after each page, so that a long list does not delay room frames.
  const pages = Stream.fromIterable(list.pages()).pipe(
    Stream.rechunk(1),
    Stream.mapEffect((page) => Effect.map(Effect.yieldNow, () => list.json(page)))
  )
  const bytes = Stream.intersperseAffixes(pages, { start: "[", middle: ",", end: "]" }).pipe(
    // All of it is ASCII, which is copied as it is.
    Stream.map((text) => Buffer.from(text, "latin1"))
  )
  return HttpServerResponse.stream(bytes, { contentType: "application/json" })
}
