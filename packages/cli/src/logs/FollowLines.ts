import type { LogLevel, LogLine } from "@atrium/domain/logs/LogLine"
import type { TailEvent } from "@atrium/domain/logs/LogsApi"
import { Console, Effect, Stream } from "effect"

import { type CommandFailure, Refused } from "../CommandFailure.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { missedText } from "./LineText.ts"

interface Followed {
  readonly service: Pick<ServiceClient, "ask" | "logs">
  readonly project: string
  readonly query: {
    readonly room?: string
    readonly level?: LogLevel
    readonly since?: string
  }
}

const pause = "1 second"

/** Lines that are remembered, as the next answer may repeat them. */
const repeatedLines = 2000

/** The lines that were told last. A service of several runners resumes a little before the line that it is asked from. */
class ToldLines {
  readonly #places = new Set<string>()
  /** The greatest id so far: lines of several runners do not come in the order of their ids. */
  lastId: string | null = null

  /** @returns whether the line is new */
  add({ id, data }: Extract<TailEvent, { event: "line" }>): boolean {
    if (this.lastId === null || Number(id) > Number(this.lastId)) this.lastId = id
    const place = `${id} ${data.roomId}`
    if (this.#places.has(place)) return false
    this.#places.add(place)
    const [oldest] = this.#places
    if (this.#places.size > repeatedLines && oldest !== undefined) this.#places.delete(oldest)
    return true
  }
}

/**
 * Prints lines of rooms as they come, until it is interrupted. When the connection ends it asks again,
 * from the last line on. Fails when the service refuses, and when it cannot be reached the first time.
 */
export const followLines = Effect.fnUntraced(function* (
  { service, project, query }: Followed,
  textOf: (line: LogLine) => string
) {
  const lines = new ToldLines()
  const told = (event: TailEvent) => {
    switch (event.event) {
      case "line":
        return lines.add(event) ? Console.log(textOf(event.data)) : Effect.void
      case "missed":
        return Console.error(missedText(event.data.lines))
      case "ping":
        return Effect.void
    }
  }
  const asked = Effect.suspend(() =>
    service.ask(
      service.logs.tail({
        params: { id: project },
        query,
        headers: lines.lastId === null ? {} : { "last-event-id": lines.lastId }
      })
    )
  )
  // A stream that breaks off is asked for again, as one that has come to its end.
  const read = (events: Effect.Success<typeof asked>) =>
    Effect.ignore(Stream.runForEach(events, told))
  yield* Effect.flatMap(asked, read)
  const again: Effect.Effect<void, CommandFailure> = Effect.flatMap(asked, read).pipe(
    Effect.catchIf(passes, () => Effect.void)
  )
  return yield* Effect.forever(Effect.andThen(Effect.sleep(pause), again))
})

/** A service that restarts or has too many readers takes this one later. */
const passes = (failure: CommandFailure): boolean =>
  failure instanceof Refused && (failure.code === null || !failure.lasting)
