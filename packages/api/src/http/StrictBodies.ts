import { untimed } from "@atrium/actors/store/AnswerTime"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"

import { errorResponse } from "./ErrorResponse.ts"
import { bodyBoundOf } from "./KnownPaths.ts"

const refused = (message: string): Effect.Effect<never> =>
  Effect.die(errorResponse(new BadRequest({ message }), 400))

const utf8 = new TextDecoder("utf-8", { fatal: true })

const textOf = (bytes: ArrayBuffer): Effect.Effect<string> =>
  Effect.try({ try: () => utf8.decode(bytes), catch: () => null }).pipe(
    Effect.catch(() => refused("body: not UTF-8"))
  )

/** How many commas a text has, as far as it matters. A scan for one character costs next to nothing. */
const hasTooManyValues = (text: string, commasMax: number): boolean => {
  let commas = 0
  for (let at = text.indexOf(","); at >= 0; at = text.indexOf(",", at + 1)) {
    if (++commas > commasMax) return true
  }
  return false
}

/** Whether the text of the body is what this service reads: UTF-8, which is JSON's only encoding. */
const isUtf8 = (contentType: string): boolean => {
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^";]*)/i.exec(contentType) ?? []
  return /^utf-?8$/i.test(charset.trim())
}

/**
 * A request whose body is refused where it is read, when its bytes are not what they would be taken
 * for: compressed, or text in another encoding. What is not UTF-8 would be changed on the way in.
 */
const strict = (request: HttpServerRequest.HttpServerRequest): typeof request => {
  const { headers } = request
  const { commas } = bodyBoundOf(request)
  const arrayBuffer = Effect.suspend(() => {
    const coding = headers["content-encoding"] ?? "identity"
    // How long a body is on its way is its sender's affair, and has a limit of its own.
    return coding.toLowerCase() === "identity"
      ? untimed(request.arrayBuffer)
      : refused("content-encoding: not one that is taken")
  })
  const text = Effect.suspend(() =>
    isUtf8(headers["content-type"] ?? "")
      ? Effect.flatMap(Effect.flatMap(arrayBuffer, textOf), (text) =>
          hasTooManyValues(text, commas)
            ? refused(`body: over ${commas.toLocaleString("en")} values`)
            : Effect.succeed(text)
        )
      : refused("content-type: the charset is not UTF-8")
  )
  const own = (value: unknown): PropertyDescriptor => ({ value, enumerable: true })
  return Object.create(request, { arrayBuffer: own(arrayBuffer), text: own(text) })
}

/** Bodies are read as what they say they are, or not at all. Source: D-02, D-03. */
export const withStrictBodies = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => Effect.updateService(app, HttpServerRequest.HttpServerRequest, strict)
