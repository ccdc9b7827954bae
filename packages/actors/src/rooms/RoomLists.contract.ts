import { deletesAtMs, retentionInForce } from "@atrium/domain/rooms/Retention"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { durationMs } from "@atrium/wire/time/Duration"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { awakeAt, reported } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { RoomList } from "./RoomList.ts"
import type { RoomFilter } from "./RoomLists.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

const facts = { type: "arena", class: "large", maxClients: 12 } as const
const asleep = RoomState.Hibernated({ type: "arena" })
const all: RoomFilter = { active: null, idleLongerThanMs: null }

let projects = 0
/** A project with rooms of these names, each reported a second after the one before. */
const projectWith = Effect.fnUntraced(function* (rooms: Readonly<Record<string, RoomState>>) {
  const store = yield* RoomStore
  const projectId = ProjectId.make(`p_${String(++projects).padStart(16, "0")}`)
  for (const [roomId, state] of Object.entries(rooms)) {
    yield* TestClock.adjust("1 second")
    yield* store.save({ projectId, roomId: RoomId.make(roomId) }, reported(state, facts))
  }
  return projectId
})

/** Adds public rooms with the ids `r0001`, `r0002`, … */
const addAsleep = Effect.fnUntraced(function* (projectId: ProjectId, count: number, first = 1) {
  const store = yield* RoomStore
  const key = { projectId, roomId: RoomId.make(`r${String(first).padStart(4, "0")}`) }
  yield* store.save(key, reported(asleep, facts))
  yield* store.saveSettings(key, { public: true }, { state: asleep, facts })
  const numbers = { from: first + 1, to: first + count - 1 }
  yield* (yield* TestTables).copyRoom(key, numbers)
})

interface Row extends Readonly<Record<string, unknown>> {
  readonly roomId: string
  readonly lastSeen: string
  readonly deletesAt: string | null
}

const listed = Effect.fnUntraced(function* (projectId: ProjectId, filter: RoomFilter = all) {
  const lines = yield* (yield* RoomStore).list(projectId, filter)
  const list = new RoomList(lines, { projectId, declared: new Map([["arena", "10m"]]) })
  const rows: ReadonlyArray<Row> = JSON.parse(
    `[${[...list.pages()].map((page) => list.json(page)).join(",")}]`
  )
  return rows
})
const idsOf = (rows: ReadonlyArray<Row>): string => rows.map(({ roomId }) => roomId).join(" ")

/**
 * The lists of every layer of `RoomStore`.
 * @param name of the layer, as the report shows it
 */
export const roomListsContract = (
  name: string,
  stores: Layer.Layer<RoomStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect(
      "[rooms.row.exact-keys] a row has the documented fields, and times of the service",
      () =>
        Effect.gen(function* () {
          const projectId = yield* projectWith({ one: awakeAt(5) })
          const store = yield* RoomStore
          yield* store.report([
            { projectId, roomId: RoomId.make("one"), epoch: 5, clients: 3, entered: true }
          ])
          expect(yield* listed(projectId)).toEqual([
            {
              project: projectId,
              roomId: "one",
              status: "awake",
              slot: 3,
              lastSeen: "1970-01-01T00:00:01.000Z",
              clients: 3,
              maxClients: 12,
              backfill: false,
              retention: "10m",
              retentionOverride: null,
              deletesAt: "1970-01-01T00:10:01.000Z"
            }
          ])
          expect(Object.keys((yield* listed(projectId))[0] ?? {})).toEqual([
            "project",
            "roomId",
            "status",
            "slot",
            "lastSeen",
            "clients",
            "maxClients",
            "backfill",
            "retention",
            "retentionOverride",
            "deletesAt"
          ])
        })
    )

    it.effect(
      "[C-224] a room that let nobody in is listed while its server reports it, not afterwards",
      () =>
        Effect.gen(function* () {
          const at = {
            type: "arena",
            class: "standard",
            version: 1,
            epoch: 5,
            serverIndex: 0
          } as const
          const fresh = RoomState.Starting({ at, stored: false })
          const projectId = yield* projectWith({ refused: fresh, entered: fresh })
          const store = yield* RoomStore
          const report = (name: string, entered: boolean) =>
            store.report([{ projectId, roomId: RoomId.make(name), epoch: 5, clients: 0, entered }])
          const counted = store.countByProject([projectId])
          for (const name of ["refused", "entered"]) {
            yield* store.save({ projectId, roomId: RoomId.make(name) }, reported(awakeAt(5), facts))
            yield* report(name, false)
          }
          expect(idsOf(yield* listed(projectId))).toBe("entered refused")
          yield* report("entered", true)
          yield* TestClock.adjust(RoomLimits.reportFresh.ms)
          expect(idsOf(yield* listed(projectId))).toBe("entered")
          expect(idsOf(yield* listed(projectId, { active: false, idleLongerThanMs: null }))).toBe(
            "entered"
          )
          const lapsed = { nowMs: yield* Clock.currentTimeMillis, declared: [], after: null }
          const found = yield* store.lapsed(lapsed)
          expect(found.filter((key) => key.projectId === projectId)).toEqual([
            { projectId, roomId: "refused" }
          ])
          // A room of that name which starts again after somebody was in it is what it was.
          const asleepKey = { projectId, roomId: RoomId.make("entered") }
          yield* store.save(asleepKey, reported(asleep))
          yield* store.save(asleepKey, reported(RoomState.Starting({ at, stored: true })))
          expect((yield* store.load(asleepKey))?.entered).toBe(true)
          yield* store.save(asleepKey, reported(fresh))
          expect((yield* store.load(asleepKey))?.entered).toBe(false)
          yield* store.save(asleepKey, reported(asleep))
          expect((yield* store.load(asleepKey))?.entered).toBe(true)
          expect(yield* counted).toHaveLength(2)
        })
    )

    it.effect("[D-04] newest report first, equal ones by id", () =>
      Effect.gen(function* () {
        const projectId = yield* projectWith({ old: asleep, b: asleep })
        const store = yield* RoomStore
        for (const roomId of ["a", "C", "_"])
          yield* store.save({ projectId, roomId: RoomId.make(roomId) }, reported(asleep, facts))
        expect(idsOf(yield* listed(projectId))).toBe("C _ a b old")
      })
    )

    it.effect(
      "[rooms.list.filters-combine] [rooms.list.idle-longer-than] [state.room.filter-classes] awake in a live server, idle, and both",
      () =>
        Effect.gen(function* () {
          const projectId = yield* projectWith({
            crashed: awakeAt(1),
            closed: RoomState.Closed({ type: "arena" }),
            older: asleep,
            up: awakeAt(2)
          })
          yield* TestClock.adjust(RoomLimits.reportFresh.ms - 1000)
          const store = yield* RoomStore
          yield* store.report([
            { projectId, roomId: RoomId.make("up"), epoch: 2, clients: 0, entered: true }
          ])
          const of = (active: boolean | null, idleLongerThanMs: number | null) =>
            Effect.map(listed(projectId, { active, idleLongerThanMs }), idsOf)
          expect(yield* of(true, null)).toBe("up")
          expect(yield* of(false, null)).toBe("older closed crashed")
          // Last seen 10 s, 11 s and 12 s ago: longer than, not as long as.
          expect(yield* of(null, 10_000)).toBe("closed crashed")
          expect(yield* of(null, 9999)).toBe("older closed crashed")
          expect(yield* of(false, 11_000)).toBe("crashed")
          expect(yield* of(true, 9999)).toBe("")
          // At the bound a report still counts as fresh no longer.
          yield* TestClock.adjust(RoomLimits.reportFresh.ms - 1)
          expect(yield* of(true, null)).toBe("up")
          yield* TestClock.adjust(1)
          expect(yield* of(true, null)).toBe("")
        })
    )

    it.effect("[rooms.row.deletesAt.approximate] the list agrees with the rule of retention", () =>
      Effect.gen(function* () {
        const projectId = yield* projectWith({
          one: asleep,
          two: asleep,
          three: asleep,
          four: asleep
        })
        const store = yield* RoomStore
        const overrides: ReadonlyArray<readonly [string, string | null]> = [
          ["one", null],
          ["two", "forever"],
          ["three", "1m"],
          ["four", "3650d"]
        ]
        for (const [roomId, retention] of overrides)
          yield* store.saveSettings(
            { projectId, roomId: RoomId.make(roomId) },
            { retention },
            { state: asleep, facts }
          )
        const rows = yield* listed(projectId)
        for (const [roomId, override] of overrides) {
          const row = rows.find((one) => one.roomId === roomId)
          const rule = retentionInForce({ override, declared: "10m" })
          const atMs = deletesAtMs(rule, Date.parse(row?.lastSeen ?? ""))
          expect(row).toMatchObject({
            retention: rule.retention,
            retentionOverride: override,
            deletesAt: atMs === null ? null : new Date(atMs).toISOString()
          })
        }
      })
    )

    it.effect("[rooms.list.pruned-row-absent] a pruned row and foreign rooms are not listed", () =>
      Effect.gen(function* () {
        const projectId = yield* projectWith({ kept: asleep, gone: asleep })
        yield* projectWith({ foreign: asleep })
        const store = yield* RoomStore
        yield* TestClock.adjust(RoomLimits.rowKept.ms)
        yield* store.save({ projectId, roomId: RoomId.make("kept") }, reported(asleep, facts))
        yield* store.prune(yield* Clock.currentTimeMillis)
        expect(idsOf(yield* listed(projectId))).toBe("kept")
      })
    )

    it.effect(
      "[rooms.list.pagination] a long list comes in pieces, nothing twice and nothing lost",
      () =>
        Effect.gen(function* () {
          const store = yield* RoomStore
          const projectId = yield* projectWith({ first: asleep })
          const { max } = RoomLimits.listPage
          yield* addAsleep(projectId, 2 * max)
          const lines = yield* store.list(projectId, all)
          const of = { projectId, declared: new Map<string, string | null>() }
          const pages = [...new RoomList(lines, of).pages()]
          expect(pages.map((page) => page.split("\n").length)).toEqual([max, max, 1])
          const ids = (yield* listed(projectId)).map(({ roomId }) => roomId)
          expect(new Set(ids).size).toBe(2 * max + 1)
          expect(ids.at(-1)).toBe(`r${2 * max}`)
          expect(yield* store.list(ProjectId.make("p_ffffffffffffffff"), all)).toBe("")
        })
    )

    it.effect("[rooms.patch.public.true] the registry shows listed rooms by id", () =>
      Effect.gen(function* () {
        const projectId = yield* projectWith({ b: awakeAt(3), a: asleep, hidden: asleep })
        const store = yield* RoomStore
        const publish = (roomId: string, isPublic: boolean) =>
          store.saveSettings(
            { projectId, roomId: RoomId.make(roomId) },
            { public: isPublic },
            { state: asleep, facts }
          )
        yield* publish("a", true)
        yield* publish("b", true)
        const row = { type: "arena", clients: 0, maxClients: 12, metadata: null }
        expect(yield* store.lobby(projectId)).toEqual([
          { ...row, roomId: "a" },
          { ...row, roomId: "b" }
        ])
        yield* publish("a", false)
        expect(yield* store.lobby(projectId)).toEqual([{ ...row, roomId: "b" }])
        const stored = yield* store.load({ projectId, roomId: RoomId.make("b") } satisfies RoomKey)
        expect(stored?.state).toEqual(awakeAt(3))
      })
    )

    it.effect("[limits.lobbyRows] the registry shows a thousand rooms, the first by id", () =>
      Effect.gen(function* () {
        const projectId = yield* projectWith({})
        const store = yield* RoomStore
        const publish = (from: number, to: number) => addAsleep(projectId, to - from + 1, from)
        const shown = Effect.map(store.lobby(projectId), (rows) => rows.map(({ roomId }) => roomId))
        yield* publish(1, RoomLimits.lobbyRows.max)
        const all = yield* shown
        expect(all).toHaveLength(RoomLimits.lobbyRows.max)
        expect([all.at(0), all.at(-1)]).toEqual(["r0001", "r1000"])
        // One past the bound: the last by id is not shown, whenever it came.
        yield* publish(0, 0)
        expect(yield* shown).toEqual(["r0000", ...all.slice(0, -1)])
      })
    )

    it.effect("[rooms.patch.atomic] settings change what they name and nothing else", () =>
      Effect.gen(function* () {
        const store = yield* RoomStore
        const projectId = yield* projectWith({ one: awakeAt(3) })
        const key = { projectId, roomId: RoomId.make("one") }
        const set = (settings: { retention?: string | null; public?: boolean }) =>
          store.saveSettings(key, settings, { state: asleep, facts })
        const before = yield* store.load(key)
        yield* TestClock.adjust("1 hour")
        yield* set({})
        expect(yield* store.load(key)).toEqual(before)
        yield* set({ retention: "5m" })
        yield* set({ public: true })
        expect(yield* store.load(key)).toEqual({
          ...before,
          retentionOverride: "5m",
          isPublic: true
        })
        yield* set({ retention: null, public: false })
        expect(yield* store.load(key)).toEqual(before)
        // A room without a row gets one that is not listed.
        const rowless = { projectId, roomId: RoomId.make("two") }
        yield* store.saveSettings(rowless, { retention: "2h" }, { state: asleep, facts })
        expect(yield* store.load(rowless)).toMatchObject({ retentionOverride: "2h", pruned: true })
        expect(idsOf(yield* listed(projectId))).toBe("one")
        expect(durationMs("2h")).toBe(7_200_000)
      })
    )

    it.effect(
      "[C-769] a list tells which rows were written since a mark, and how many it has",
      () =>
        Effect.gen(function* () {
          const projectId = yield* projectWith({ one: awakeAt(5), two: asleep, three: asleep })
          const store = yield* RoomStore
          const look = (mark: string | null, filter = all) => store.changes(projectId, filter, mark)
          const idsIn = (lines: string) =>
            [...lines.matchAll(/"roomId":"(\w+)"/g)].map(([, id = ""]) => id)
          const first = yield* look(null)
          expect(first.lines.split("\n").toSorted()).toEqual(
            (yield* store.list(projectId, all)).split("\n").toSorted()
          )
          expect([first.rows, first.hidden]).toEqual([3, []])
          const two = { projectId, roomId: RoomId.make("two") }
          yield* store.saveSettings(two, { retention: "1d" }, { state: asleep, facts })
          const second = yield* look(first.mark)
          expect(idsIn(second.lines)).toContain("two")
          expect([second.rows, second.hidden]).toEqual([3, []])
          yield* store.report([
            { projectId, roomId: RoomId.make("one"), epoch: 5, clients: 2, entered: true }
          ])
          const awake = yield* look(second.mark, { active: true, idleLongerThanMs: null })
          expect([idsIn(awake.lines), awake.rows]).toEqual([["one"], 1])
          // Asleep from now on: it is not among the awake ones.
          const one = { projectId, roomId: RoomId.make("one") }
          yield* store.save(one, reported(asleep, facts))
          const slept = yield* look(awake.mark, { active: true, idleLongerThanMs: null })
          expect([slept.lines, slept.rows]).toEqual(["", 0])
          expect(slept.hidden).toContain("one")
          yield* store.save(two, reported(RoomState.Absent(), null))
          expect((yield* look(slept.mark)).rows).toBe(2)
        })
    )
  })
