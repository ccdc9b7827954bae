import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { RateLimited } from "@atrium/domain/shared/Refusal"
import { Cause, Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { listed } from "./ListHeader.ts"

/** Whether the caller asks for an event stream. */
export const wantsEvents = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  listed(headers["accept"]).some((type) => type.split(";", 1)[0] === "text/event-stream")
)

/** The number of open live answers, by project or account. */
export class LivePlaces extends Context.Service<LivePlaces, Map<string, number>>()(
  "@atrium/api/http/LivePlaces"
) {
  static readonly layer = Layer.sync(LivePlaces, () => new Map())
}

/** What a look has found: events, or "" where nothing has changed; and when the next look is due. */
export interface Look {
  readonly text: string
  readonly againInMs: number
}

/** An event of a stream. @param data JSON */
export const eventOf = (event: string, data: string): string => `event: ${event}\ndata: ${data}\n\n`

const ping = eventOf("ping", "{}")

/**
 * Looks again and again, and tells what has changed as a stream of events; `ping` where nothing changes for a while.
 * The answer ends after some minutes, and its reader asks again. The first look is made before the answer begins, so
 * that its refusal is one. A later refusal ends the answer.
 *
 * @param subject the project or the account that the places count for
 */
export const liveStream = Effect.fnUntraced(function* <E, R>(
  look: Effect.Effect<Look, E, R>,
  subject: string
) {
  const places = yield* LivePlaces
  if ((places.get(subject) ?? 0) >= HttpLimits.liveLists.max) {
    return yield* new RateLimited({ retryAfterMs: HttpLimits.livePing.ms })
  }
  const first = yield* look
  const begunAtMs = yield* Clock.currentTimeMillis
  let toldAtMs = begunAtMs
  const next = (waitMs: number) =>
    Effect.gen(function* () {
      yield* Effect.sleep(waitMs)
      const { text, againInMs } = yield* look
      const nowMs = yield* Clock.currentTimeMillis
      const isDue = text !== "" || nowMs - toldAtMs >= HttpLimits.livePing.ms
      if (isDue) toldAtMs = nowMs
      const goesOn = nowMs - begunAtMs < HttpLimits.liveFor.ms
      return told(text === "" && isDue ? ping : text, goesOn ? againInMs : null)
    }).pipe(
      // The reader asks again, and hears then what is refused.
      Effect.catchCause((cause) =>
        Cause.hasDies(cause) && !isStoreAway(cause)
          ? Effect.failCause(cause)
          : Effect.succeed(told("", null))
      )
    )
  const context = yield* Effect.context<R>()
  const text = Stream.unwrap(
    Effect.map(placeOf(places, subject), (fits) =>
      fits
        ? Stream.concat(
            Stream.make(first.text === "" ? ping : first.text),
            Stream.paginate(first.againInMs, next)
          )
        : Stream.empty
    )
  )
  return HttpServerResponse.stream(
    text.pipe(
      Stream.filter((part) => part !== ""),
      Stream.encodeText,
      Stream.provideContext(context)
    ),
    { contentType: "text/event-stream", headers: { "cache-control": "no-store" } }
  )
})

/** @param againInMs `null` = the answer ends */
const told = (text: string, againInMs: number | null) =>
  [[text], againInMs === null ? Option.none<number>() : Option.some(againInMs)] as const

/** @returns whether it is one of those that fit: others may have come during the first look */
const placeOf = (places: Map<string, number>, subject: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const taken = places.get(subject) ?? 0
      places.set(subject, taken + 1)
      return taken < HttpLimits.liveLists.max
    }),
    () =>
      Effect.sync(() => {
        const left = (places.get(subject) ?? 1) - 1
        if (left > 0) places.set(subject, left)
        else places.delete(subject)
      })
  )
