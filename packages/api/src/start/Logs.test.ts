import { RoomLine } from "@atrium/actors/rooms/RoomLine"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

import { logTexts, withLogGuard } from "./Logs.ts"
import type { LogFormat } from "./LogSettings.ts"

const evil =
  "\u001b]0;title\u0007\u001b[2Ja\u202eb\u2028c\u009b\r\n[00:00:00.000] ERROR forged\u007f"

/** What a format writes of an entry whose every part a tenant chose. */
const written = (format: LogFormat) =>
  Effect.gen(function* () {
    const lines: string[] = []
    const logger = Logger.map(logTexts[format], (text) => void lines.push(text))
    yield* Effect.logError(evil, Cause.fail(new Error(evil))).pipe(
      Effect.annotateLogs({ room: evil, project: { name: evil } }),
      Effect.provide(Logger.layer([logger]))
    )
    return lines
  })

describe("log lines", () => {
  it.effect.each(["logfmt", "json"] as const)(
    "[C-173] %s is one line without a control",
    (format) =>
      Effect.gen(function* () {
        const [line = "", ...more] = yield* written(format)
        expect(more).toEqual([])
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
        expect(line).toContain("\\u001b]0;title\\u0007\\u001b[2Ja\\u202eb\\u2028c\\u009b\\r\\n[00:")
      })
  )

  it.effect("[C-175] json keeps level, time, message, cause and annotations", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* written("json")
      expect(JSON.parse(line)).toMatchObject({
        level: "ERROR",
        timestamp: "1970-01-01T00:00:00.000Z",
        message: evil,
        cause: expect.stringContaining("title"),
        annotations: { room: evil, project: { name: evil } }
      })
    })
  )

  it.effect("[C-173] pretty has no control but its own, and no text begins a line of its own", () =>
    Effect.gen(function* () {
      const [text = ""] = yield* written("pretty")
      const [first = "", ...further] = text.split("\n")
      const begin = "[00:00:00.000] \u001b[31mERROR\u001b[0m \\u001b]0;title\\u0007"
      expect(first.slice(0, begin.length)).toBe(begin)
      const plain = first.replace("\u001b[31m", "").replace("\u001b[0m", "") + further.join("")
      expect(plain).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      expect(further.length).toBeGreaterThan(1)
      expect(further.filter((line) => !line.startsWith("  | "))).toEqual([])
    })
  )
})

describe("the guard on repeated lines", () => {
  it.effect(
    "[C-174] writes 100 a minute and then their count; lines of rooms are not its own",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const lines: string[] = []
          const plain = Logger.make<unknown, void>(
            ({ message }) => void lines.push(String(message))
          )
          const logger = yield* withLogGuard(plain)
          const logs = Effect.provide(Logger.layer([logger]))
          const many = (times: number, line: Effect.Effect<void>) =>
            Effect.forEach(Array.from({ length: times }), () => line, { discard: true })
          yield* logs(many(105, Effect.logInfo("a room ended: crashed")))
          yield* logs(many(150, Effect.provideService(Effect.logInfo("hello"), RoomLine, true)))
          expect(lines).toHaveLength(250)
          yield* TestClock.adjust("59 seconds")
          expect(lines).toHaveLength(250)
          yield* TestClock.adjust("1 seconds")
          expect(lines.slice(250)).toEqual([
            'left out in the last minute: 5 more lines like "INFO a room ended"'
          ])
          yield* logs(Effect.logInfo("a room ended: crashed"))
          expect(lines.at(-1)).toBe("a room ended: crashed")
          yield* logs(many(101, Effect.logInfo("a room ended: crashed")))
          yield* TestClock.adjust("1 minutes")
          expect(lines.at(-1)).toContain("2 more lines")
        })
      )
  )
})
