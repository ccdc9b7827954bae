import type { KeyedRead } from "@atrium/actors/rooms/KeyedRooms"
import { QuickReads } from "@atrium/actors/rooms/QuickReads"
import { isProjectId, isRoomId, isSecret } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

const bearer = "Bearer "
const path = /^\/v1\/projects\/([^/?#;%]+)\/rooms\/([^/?#;%]+)$/

/** The read that a request asks for; `null` = it asks for something else, or not in the usual form. */
const readOf = ({
  method,
  url,
  headers
}: HttpServerRequest.HttpServerRequest): KeyedRead | null => {
  if (method !== "GET") return null
  const credential = headers["authorization"] ?? ""
  const secret = credential.slice(bearer.length)
  if (!credential.startsWith(bearer) || !isSecret("apiKey", secret)) return null
  const [, projectId = "", roomId = ""] = path.exec(url) ?? []
  return isProjectId(projectId) && isRoomId(roomId) ? { secret, projectId, roomId } : null
}

/**
 * Answers the usual read of a room with an API key before it comes to the typed API, whose answer it gives to the
 * byte. Every other request, and every one that would be refused, goes on to the API. Source: C-926.
 */
export const makeQuickRoomReads = Effect.map(
  QuickReads,
  (reads) =>
    <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const read = readOf(request)
        if (read === null) return app
        return Effect.flatMap(reads.read(read), (detail) =>
          detail === null ? app : Effect.succeed(HttpServerResponse.jsonUnsafe(detail))
        )
      })
)
