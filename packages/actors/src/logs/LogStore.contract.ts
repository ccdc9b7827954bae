import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { lineIdAt } from "@atrium/domain/logs/LogLine"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { DayMs } from "@atrium/wire/limits/Limit"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { DeletedProjects } from "../projects/DeletedProjects.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { type LineQuery, LogStore, type StoredLine } from "./LogStore.ts"

const all: LineQuery = { roomId: null, level: "debug", fromId: 0 }

/** Lines with these texts, one after another from now on. */
const linesOf = (
  projectId: ProjectId,
  texts: ReadonlyArray<string>,
  more: Partial<StoredLine> = {}
): Effect.Effect<ReadonlyArray<StoredLine>> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) =>
    texts.map((line, at) => ({
      projectId,
      roomId: "arena",
      level: "info",
      lineId: lineIdAt(nowMs) + at,
      line,
      ...more
    }))
  )

const texts = (projectId: ProjectId, query: Partial<LineQuery> = {}, limit = 100) =>
  Effect.gen(function* () {
    const lines = yield* (yield* LogStore).read(projectId, { ...all, ...query }, limit)
    return lines.map(({ line }) => line)
  })

const keptOf = ({ lineId, roomId, level, line }: StoredLine) => ({ lineId, roomId, level, line })

/**
 * The behaviour of every layer of `LogStore`.
 * @param name of the layer, as the report shows it
 */
export const logStoreContract = (
  name: string,
  stores: Layer.Layer<DeletedProjects | LogStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-801] finds lines that hold a text as it stands there", () =>
      Effect.gen(function* () {
        const store = yield* LogStore
        const project = yield* newProject
        yield* store.append(yield* linesOf(project, ["100% ü🎲", "100_ of A\\B", "none"]))
        expect(yield* texts(project, { contains: "ü🎲" })).toEqual(["100% ü🎲"])
        expect(yield* texts(project, { contains: "%" })).toEqual(["100% ü🎲"])
        expect(yield* texts(project, { contains: "0_" })).toEqual(["100_ of A\\B"])
        expect(yield* texts(project, { contains: "A\\B" })).toEqual(["100_ of A\\B"])
        expect(yield* texts(project, { contains: "a\\b" })).toEqual([])
        expect(yield* texts(project, { contains: "100" }, 1)).toEqual(["100_ of A\\B"])
      })
    )

    it.effect("[D-37] reads the newest lines that match, the oldest of them first", () =>
      Effect.gen(function* () {
        const store = yield* LogStore
        const [one, other] = [yield* newProject, yield* newProject]
        const first = yield* linesOf(one, ["one", "two"])
        yield* store.append(first)
        yield* TestClock.adjust(10)
        const second = yield* linesOf(one, ["three"], { roomId: "hall", level: "error" })
        yield* store.append(second)
        yield* store.append(yield* linesOf(other, ["foreign"]))
        expect(yield* store.read(one, all, 100)).toEqual([...first, ...second].map(keptOf))
        expect(yield* texts(one, {}, 2)).toEqual(["two", "three"])
        expect(yield* texts(one, { roomId: "arena" })).toEqual(["one", "two"])
        expect(yield* texts(one, { roomId: "nowhere" })).toEqual([])
        expect(yield* texts(one, { level: "error" })).toEqual(["three"])
        const fromId = first[1]?.lineId ?? 0
        expect(yield* texts(one, { fromId })).toEqual(["two", "three"])
        expect(yield* texts(one, { fromId: fromId + 1 })).toEqual(["three"])
      })
    )

    it.effect("[C-330] takes a line once, also one with NUL and other control characters", () =>
      Effect.gen(function* () {
        const store = yield* LogStore
        const project = yield* newProject
        const strange = ["", "\u0000", "😀 \u001b[2J", "'; drop table room_logs"]
        const lines = yield* linesOf(project, strange)
        yield* store.append(lines)
        yield* store.append(lines.map((line) => ({ ...line, line: "again" })))
        expect(yield* texts(project)).toEqual(strange)
      })
    )

    it.effect(
      "[retention.logs] shows a line until it is 7 days old, and drops days as a whole",
      () =>
        Effect.gen(function* () {
          const store = yield* LogStore
          const project = yield* newProject
          const nowMs = yield* Clock.currentTimeMillis
          // The last moments of a day.
          yield* TestClock.adjust(DayMs - (nowMs % DayMs) - 2)
          yield* store.removeOld
          yield* store.append(yield* linesOf(project, ["first"]))
          yield* TestClock.adjust(1)
          yield* store.append(yield* linesOf(project, ["last of its day"]))
          yield* TestClock.adjust(1)
          yield* store.append(yield* linesOf(project, ["next day"]))
          yield* TestClock.adjust(LogLimits.logKept.ms - 3)
          expect(yield* texts(project)).toEqual(["first", "last of its day", "next day"])
          yield* TestClock.adjust(1)
          expect(yield* texts(project)).toEqual(["last of its day", "next day"])
          expect(yield* store.removeOld).toBe(0)
          yield* TestClock.adjust(1)
          expect(yield* texts(project)).toEqual(["next day"])
          expect(yield* store.removeOld).toBe(1)
          expect(yield* store.removeOld).toBe(0)
          expect(yield* texts(project)).toEqual(["next day"])
          const late = yield* linesOf(project, ["too old"], {
            lineId: lineIdAt((yield* Clock.currentTimeMillis) - LogLimits.logKept.ms)
          })
          yield* store.append(late)
          expect(yield* texts(project)).toEqual(["next day"])
        })
    )

    it.effect(
      "[C-330] the lines of a deleted project go, on every day, and no other project's",
      () =>
        Effect.gen(function* () {
          const store = yield* LogStore
          const deleted = yield* DeletedProjects
          const [gone, kept] = [yield* newProject, yield* newProject]
          // On each day the first row belongs to the other of them.
          for (const [first, second] of [
            [gone, kept],
            [kept, gone]
          ] as const) {
            yield* TestClock.adjust("1 day")
            yield* store.append(yield* linesOf(first, ["line"]))
            yield* store.append(yield* linesOf(second, ["line"]))
          }
          yield* (yield* ProjectStore).delete(gone)
          expect(yield* deleted.removeSome(gone)).toBeGreaterThan(0)
          yield* store.append(yield* linesOf(gone, ["late"], { roomId: "late" }))
          expect(yield* texts(gone)).toEqual([])
          expect(yield* deleted.removeSome(gone)).toBe(0)
          expect(yield* texts(kept)).toEqual(["line", "line"])
        })
    )
  })
