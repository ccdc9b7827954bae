import { RoomLine } from "@atrium/actors/rooms/RoomLine"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { kindOfLine, LogRepeats } from "@atrium/domain/logs/LogRepeats"
import { Array as Values, Effect, Logger } from "effect"

/**
 * Puts the guard on repeated lines before a logger: of what the service says again and again it
 * writes 100 lines a minute, and at the end of the minute how many there were besides. Source: C-174.
 */
export const withLogGuard = Effect.fnUntraced(function* (logger: Logger.Logger<unknown, void>) {
  const repeats = new LogRepeats()
  const tell = Effect.suspend(() =>
    Effect.forEach(
      repeats.endMinute(),
      ({ kind, count }) =>
        Effect.logWarning(`left out in the last minute: ${count} more lines like "${kind}"`),
      { discard: true }
    )
  ).pipe(Effect.provide(Logger.layer([logger])))
  yield* Effect.addFinalizer(() => tell)
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.sleep(LogLimits.logRepeats.everyMs), tell))
  )
  return Logger.make<unknown, void>((entry) => {
    const [first] = Values.ensure(entry.message)
    const kind = kindOfLine(entry.logLevel.toUpperCase(), typeof first === "string" ? first : "")
    if (entry.fiber.getRef(RoomLine) || repeats.take(kind)) logger.log(entry)
  })
})
