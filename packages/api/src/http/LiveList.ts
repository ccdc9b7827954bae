import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Clock, Effect } from "effect"

import { eventOf, liveStream } from "./LiveStream.ts"

/** The rows that have changed since the look before. */
export interface Changes {
  /** Rows that are new or have changed, as JSON. */
  readonly rows: ReadonlyArray<string>
  readonly gone: ReadonlyArray<string>
}

/** How a live list is read again and again. */
export interface LiveSource<E, R> {
  /** The whole list at first, and then what has changed. */
  readonly next: Effect.Effect<Changes, E, R>
  readonly everyMs: number
}

/** One look at a list that is read whole each time. */
export const wholeList = <Row, E, R>(
  read: Effect.Effect<ReadonlyArray<Row>, E, R>,
  keyOf: (row: Row) => string
): LiveSource<E, R>["next"] => {
  let before = new Map<string, string>()
  return Effect.map(read, (rows) => {
    const now = new Map(rows.map((row) => [keyOf(row), JSON.stringify(row)]))
    const changed = [...now].filter(([key, text]) => before.get(key) !== text)
    const gone = [...before.keys()].filter((key) => !now.has(key))
    before = now
    return { rows: changed.map(([, text]) => text), gone }
  })
}

/**
 * A list as a stream of events: `rows` with all rows and then `whole`, and from then on `rows` that are new or have
 * changed and keys that are `gone`, each with the moment that it is of. Source: C-765.
 *
 * @param subject the project or the account that the places count for
 */
export const liveList = <E, R>({ next, everyMs }: LiveSource<E, R>, subject: string) => {
  let isWhole = false
  const look = Effect.gen(function* () {
    const changes = yield* next
    const nowMs = yield* Clock.currentTimeMillis
    const whole = isWhole ? "" : eventOf("whole", JSON.stringify({ at: isoOf(nowMs) }))
    isWhole = true
    return { text: eventsOf(changes, nowMs) + whole, againInMs: everyMs }
  })
  return liveStream(look, subject)
}

/** Rows are parted, so that no event is longer than a reader takes. */
const eventsOf = ({ rows, gone }: Changes, nowMs: number): string => {
  const at = isoOf(nowMs)
  let text = ""
  for (let from = 0; from < rows.length; from += HttpLimits.liveRows.max) {
    const part = rows.slice(from, from + HttpLimits.liveRows.max).join()
    text += eventOf("rows", `{"at":"${at}","rows":[${part}]}`)
  }
  return gone.length === 0 ? text : text + eventOf("gone", JSON.stringify({ at, gone }))
}
