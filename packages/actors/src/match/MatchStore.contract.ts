import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { awakeAt, newProject, reported } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { type QueueKey, QueueMoved } from "./MatchRows.ts"
import { MatchStore } from "./MatchStore.ts"
import type { Ticket } from "./QueueMachine.ts"

const facts = { type: "arena", class: "standard", maxClients: 4 } as const
const party = { code: "7K3P-V0QA", size: 3, expiresAtMs: 600_000 }

let tickets = 0
const ticket = (playerId: string, more: Partial<Ticket> = {}): Ticket => ({
  ticketId: `mt_${++tickets}`,
  playerId,
  rating: 1512.25,
  party: null,
  queuedAtMs: 1000,
  expiresAtMs: 31_000,
  ...more
})

/**
 * The behaviour of every layer of `MatchStore`.
 * @param name of the layer, as the report shows it
 */
export const matchStoreContract = (
  name: string,
  stores: Layer.Layer<MatchStore | ProjectStore | RoomStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    const newQueue = Effect.map(newProject, (projectId): QueueKey => ({ projectId, queue: "duo" }))

    it.effect("[D-31] keeps tickets as they are, in the order in which they came", () =>
      Effect.gen(function* () {
        const store = yield* MatchStore
        const key = yield* newQueue
        const late = ticket("bob", { queuedAtMs: 2000, party })
        const early = ticket("ann")
        for (const added of [late, early]) yield* store.change(key, { ended: [], added, nowMs: 0 })
        expect(yield* store.waiting(key)).toEqual([early, late])
        expect(yield* store.waiting({ ...key, queue: "other" })).toEqual([])
        const row = { ...key, ...late, status: "waiting", roomId: null, team: null }
        expect(yield* store.find(key.projectId, late.ticketId)).toEqual(row)
        const foreign = yield* newProject
        expect(yield* store.find(foreign, late.ticketId)).toBe(null)
        expect(yield* store.depth(key, 30_999)).toEqual({ depth: 2, oldestAtMs: 1000 })
        expect(yield* store.depth(key, 31_000)).toEqual({ depth: 0, oldestAtMs: null })
      })
    )

    it.effect("[D-31] a ticket ends once, and a step is stored whole or not at all", () =>
      Effect.gen(function* () {
        const store = yield* MatchStore
        const key = yield* newQueue
        const [ann, bob] = [ticket("ann"), ticket("bob")]
        for (const added of [ann, bob]) yield* store.change(key, { ended: [], added, nowMs: 0 })
        const matched = (one: Ticket) => ({
          ticketId: one.ticketId,
          status: "matched" as const,
          roomId: "m_1",
          team: 1
        })
        const moved = (step: Parameters<typeof store.change>[1]) =>
          Effect.map(Effect.flip(store.change(key, step)), (error) => error instanceof QueueMoved)
        yield* store.change(key, { ended: [matched(ann)], added: null, nowMs: 5000 })
        const both = [matched(ann), matched(bob)]
        expect(yield* moved({ ended: both, added: null, nowMs: 6000 })).toBe(true)
        expect(yield* moved({ ended: [], added: ticket("bob"), nowMs: 6000 })).toBe(true)
        expect(yield* store.waiting(key)).toEqual([bob])
        const again = ticket("bob", { queuedAtMs: 6000 })
        const retired = { ...matched(bob), status: "retired" as const, roomId: null, team: null }
        yield* store.change(key, { ended: [retired], added: again, nowMs: 6000 })
        expect(yield* store.waiting(key)).toEqual([again])
        const twice = { ...matched(again), status: "retired" as const, roomId: null, team: null }
        expect(yield* moved({ ended: [twice], added: again, nowMs: 6000 })).toBe(true)
        expect(yield* moved({ ended: [twice], added: bob, nowMs: 6000 })).toBe(true)
        expect(yield* store.waiting(key)).toEqual([again])
        expect(yield* store.find(key.projectId, bob.ticketId)).toMatchObject({ status: "retired" })
        expect(yield* store.find(key.projectId, ann.ticketId)).toMatchObject({
          status: "matched",
          roomId: "m_1",
          team: 1
        })
        const span = { sinceMs: 4999, forMs: 15_000 }
        expect(yield* store.reserved(key, span)).toEqual([
          { roomId: "m_1", seats: 1, untilMs: 20_000 }
        ])
        expect(yield* store.reserved(key, { ...span, sinceMs: 5000 })).toEqual([])
      })
    )

    it.effect(
      "[match.party.code-lifetime] a party is of one queue, and is there until it is swept",
      () =>
        Effect.gen(function* () {
          const store = yield* MatchStore
          const key = yield* newQueue
          yield* store.addParty(key, party)
          expect(yield* store.party(key, party.code)).toEqual(party)
          expect(yield* store.party({ ...key, queue: "other" }, party.code)).toBe(null)
          expect(yield* store.party(yield* newQueue, party.code)).toBe(null)
        })
    )

    it.effect(
      "[limits.ticketsSwept] [limits.ticketKept] removes what is over, so many at a time",
      () =>
        Effect.gen(function* () {
          const store = yield* MatchStore
          const key = yield* newQueue
          for (const id of ["a", "b", "c"]) {
            const expiresAtMs = id === "c" ? -9000 : -10_000
            const added = ticket(id, { expiresAtMs })
            yield* store.change(key, { ended: [], added, nowMs: 0 })
          }
          yield* store.addParty(key, { ...party, code: "old", expiresAtMs: -10_000 })
          expect(yield* store.removeOld(-9000, 1)).toBe(2)
          expect(yield* store.removeOld(-9000, 5)).toBe(1)
          expect(yield* store.removeOld(-9000, 5)).toBe(0)
          expect(yield* store.waiting(key)).toMatchObject([{ playerId: "c" }])
          expect(yield* store.party(key, "old")).toBe(null)
        })
    )

    it.effect("[match.backfill.freshness] offers seats of rooms that were heard of", () =>
      Effect.gen(function* () {
        const store = yield* MatchStore
        const rooms = yield* RoomStore
        const key = yield* newQueue
        const { projectId } = key
        const nowMs = yield* Clock.currentTimeMillis
        const open = function* (roomId: string, seats: number) {
          const room = { projectId, roomId: RoomId.make(roomId) }
          const epoch = yield* rooms.claimEpoch
          yield* rooms.save(room, reported(awakeAt(epoch), facts))
          yield* store.offer({ ...room, epoch }, seats)
          yield* store.offer({ ...room, epoch: epoch - 1 }, 9)
          return { ...room, epoch }
        }
        const [one] = [yield* open("one", 3), yield* open("none", 0)]
        const most = QueueLimits.matchOffers.max
        const wanted = { ...key, type: "arena", sinceMs: nowMs, most, rating: 1500 }
        const offers = store.offers(wanted)
        const at = { epoch: one.epoch, serverIndex: 0 }
        const seen = { roomId: "one", seenAtMs: nowMs, rating: 1500, maxClients: 4, at }
        expect(yield* offers).toEqual([{ ...seen, seats: 3 }])
        yield* rooms.report([{ ...one, clients: 2, entered: true }])
        expect(yield* offers).toEqual([{ ...seen, seats: 2 }])
        expect(yield* store.offers({ ...wanted, type: "chess" })).toEqual([])
        expect(yield* store.offers({ ...wanted, sinceMs: nowMs + 1 })).toEqual([])
        const sent = ticket("ann", { rating: 1700 })
        yield* store.change(key, { ended: [], added: sent, nowMs })
        const matched = { ticketId: sent.ticketId, status: "matched" as const, team: 0 }
        yield* store.change(key, { ended: [{ ...matched, roomId: "one" }], added: null, nowMs })
        expect(yield* offers).toEqual([{ ...seen, seats: 2, rating: 1700 }])
        yield* rooms.report([{ ...one, clients: 4, entered: true }])
        expect(yield* offers).toEqual([])
      })
    )
  })
