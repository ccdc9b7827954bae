import { billingPeriod } from "@atrium/domain/meters/Caps"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { DayMs, HourMs } from "@atrium/wire/limits/Limit"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { MeterStore } from "./MeterStore.ts"

const [may, june] = [1_777_593_600_000, 1_780_272_000_000]

let runs = 0
const newRun = (): string => `run ${++runs}`

const nothing = { roomHours: 0, voiceMinutes: 0, storageBytes: 0, dataOutBytes: 0 }

/**
 * The behaviour of every layer of `MeterStore`.
 * @param name of the layer, as the report shows it
 */
export const meterStoreContract = (
  name: string,
  stores: Layer.Layer<MeterStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect(
      "[D-10] what is used stands by project, period and meter, and the newest counts",
      () =>
        Effect.gen(function* () {
          const meters = yield* MeterStore
          const [one, other] = [yield* newProject, yield* newProject]
          const period = { projectId: one, startMs: may }
          expect(yield* meters.read(period)).toEqual(nothing)
          yield* meters.set(period, { meter: "dataOutBytes", used: Number.MAX_SAFE_INTEGER })
          yield* meters.set(period, { meter: "roomHours", used: 5 })
          yield* meters.set(period, { meter: "roomHours", used: 4 })
          expect(yield* meters.read(period)).toEqual({
            ...nothing,
            dataOutBytes: Number.MAX_SAFE_INTEGER,
            roomHours: 4
          })
          expect(yield* meters.read({ projectId: one, startMs: june })).toEqual(nothing)
          expect(yield* meters.read({ projectId: other, startMs: may })).toEqual(nothing)
        })
    )

    it.effect("[C-490] sums are exact: a millisecond of a room counts, and no hour is lost", () =>
      Effect.gen(function* () {
        const meters = yield* MeterStore
        const projectId = yield* newProject
        const sum = { projectId, meter: "roomHours", dayStartsAtMs: may } as const
        const run = newRun()
        yield* meters.take({ run, sequence: 1, sums: [{ ...sum, amount: HourMs - 1 }] })
        const period = { projectId, startMs: may }
        expect((yield* meters.read(period)).roomHours).toBe((HourMs - 1) / HourMs)
        yield* meters.take({ run, sequence: 2, sums: [{ ...sum, amount: 1 }] })
        expect((yield* meters.read(period)).roomHours).toBe(1)
      })
    )

    it.effect("[C-490] the days of a sum make its period, and stand apart", () =>
      Effect.gen(function* () {
        const meters = yield* MeterStore
        const [projectId, other] = [yield* newProject, yield* newProject]
        const sum = (dayStartsAtMs: number, amount: number) =>
          ({ projectId, meter: "dataOutBytes", dayStartsAtMs, amount }) as const
        const last = june - DayMs
        const sums = [sum(last, 5), sum(june, 7), sum(june + DayMs, 11)]
        yield* meters.take({ run: newRun(), sequence: 1, sums })
        yield* meters.take({ run: newRun(), sequence: 1, sums: [sum(june, 100)] })
        expect((yield* meters.read({ projectId, startMs: may })).dataOutBytes).toBe(5)
        expect((yield* meters.read({ projectId, startMs: june })).dataOutBytes).toBe(118)
        const day = (dayStartsAtMs: number, dataOutBytes: number) => ({
          dayStartsAtMs,
          uses: { ...nothing, dataOutBytes }
        })
        const all = { projectId, fromMs: last, toMs: june + DayMs + 1 }
        expect(yield* meters.days(all)).toEqual([
          day(last, 5),
          day(june, 107),
          day(june + DayMs, 11)
        ])
        const part = { projectId, fromMs: last + 1, toMs: june + DayMs }
        expect(yield* meters.days(part)).toEqual([day(june, 107)])
        expect(yield* meters.days({ ...all, projectId: other })).toEqual([])
      })
    )

    it.effect("[C-491] a report counts once, however often and late it is sent again", () =>
      Effect.gen(function* () {
        const meters = yield* MeterStore
        const projectId = yield* newProject
        const run = newRun()
        const report = (sequence: number, amount: number) => ({
          run,
          sequence,
          sums: [{ projectId, meter: "dataOutBytes", dayStartsAtMs: may, amount } as const]
        })
        const used = Effect.map(
          meters.read({ projectId, startMs: may }),
          ({ dataOutBytes }) => dataOutBytes
        )
        yield* Effect.all([meters.take(report(1, 1)), meters.take(report(1, 1))], {
          concurrency: "unbounded"
        })
        expect(yield* used).toBe(1)
        yield* meters.take(report(2, 10))
        for (const late of [report(1, 1), report(2, 10)]) yield* meters.take(late)
        expect(yield* used).toBe(11)
        // A report that skips one is not the next one.
        yield* meters.take(report(4, 1000))
        expect(yield* used).toBe(11)
        yield* meters.take({ run, sequence: 3, sums: [] })
        yield* meters.take(report(4, 100))
        expect(yield* used).toBe(111)
      })
    )

    it.effect(
      "[limits.runKept] a run that stood still for longer loses a report, and goes on",
      () =>
        Effect.gen(function* () {
          const meters = yield* MeterStore
          const projectId = yield* newProject
          const [run, others] = [newRun(), newRun()]
          const report = (sequence: number) => ({
            run,
            sequence,
            sums: [{ projectId, meter: "dataOutBytes", dayStartsAtMs: may, amount: 1 } as const]
          })
          const used = Effect.map(
            meters.read({ projectId, startMs: may }),
            ({ dataOutBytes }) => dataOutBytes
          )
          yield* meters.take(report(1))
          yield* TestClock.adjust(MeterLimits.runKept.ms)
          yield* meters.take({ run: others, sequence: 1, sums: [] })
          yield* meters.take(report(2))
          expect(yield* used).toBe(2)
          yield* TestClock.adjust(MeterLimits.runKept.ms + 1)
          yield* meters.take({ run: newRun(), sequence: 1, sums: [] })
          yield* meters.take(report(3))
          expect(yield* used).toBe(2)
          yield* meters.take(report(4))
          expect(yield* used).toBe(3)
        })
    )

    it.effect("[limits.amount] what is too much to count exactly stays at the most", () =>
      Effect.gen(function* () {
        const meters = yield* MeterStore
        const projectId = yield* newProject
        const sum = { projectId, meter: "dataOutBytes", dayStartsAtMs: may } as const
        const { max } = MeterLimits.amount
        const read = Effect.map(
          meters.read({ projectId, startMs: may }),
          ({ dataOutBytes }) => dataOutBytes
        )
        yield* meters.take({ run: newRun(), sequence: 1, sums: [{ ...sum, amount: max - 1 }] })
        yield* meters.take({ run: newRun(), sequence: 1, sums: [{ ...sum, amount: 1 }] })
        expect(yield* read).toBe(max)
        yield* meters.take({ run: newRun(), sequence: 1, sums: [{ ...sum, amount: 1 }] })
        expect(yield* read).toBe(max)
        yield* meters.set({ projectId, startMs: may }, { meter: "roomHours", used: max })
        expect((yield* meters.read({ projectId, startMs: may })).roomHours).toBe(max / HourMs)
      })
    )

    it.effect("[limits.daysKept] a day is removed after that, and its month stays", () =>
      Effect.gen(function* () {
        const meters = yield* MeterStore
        const projectId = yield* newProject
        const { ms } = MeterLimits.daysKept
        yield* TestClock.adjust(ms)
        const nowMs = yield* Clock.currentTimeMillis
        const sums = [nowMs - ms - 1, nowMs - ms].map(
          (dayStartsAtMs) =>
            ({ projectId, meter: "dataOutBytes", dayStartsAtMs, amount: 1 }) as const
        )
        yield* meters.take({ run: newRun(), sequence: 1, sums })
        yield* meters.removeOld
        const days = yield* meters.days({ projectId, fromMs: 0, toMs: nowMs })
        expect(days.map(({ dayStartsAtMs }) => dayStartsAtMs)).toEqual([nowMs - ms])
        const { startMs } = billingPeriod(nowMs - ms - 1)
        expect((yield* meters.read({ projectId, startMs })).dataOutBytes).toBeGreaterThan(0)
      })
    )

    it.effect("[C-491] a deleted project's meters end, and those beside it count on", () =>
      Effect.gen(function* () {
        const meters = yield* MeterStore
        const [gone, other] = [yield* newProject, yield* newProject]
        yield* (yield* ProjectStore).delete(gone)
        const unknown = ProjectId.make("p_00000000000000ff")
        const sums = [unknown, gone, other].map(
          (projectId) => ({ projectId, meter: "roomHours", dayStartsAtMs: may, amount: 1 }) as const
        )
        yield* meters.take({ run: newRun(), sequence: 1, sums })
        const days = (projectId: ProjectId) =>
          Effect.map(meters.days({ projectId, fromMs: may, toMs: june }), ({ length }) => length)
        expect([yield* days(unknown), yield* days(gone), yield* days(other)]).toEqual([0, 0, 1])
      })
    )
  })
