import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { RatingStore } from "../ratings/RatingStore.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { RandomHex } from "../store/Secrets.ts"
import { refusalTag } from "../store/testing/Refusals.ts"
import { awakeAt, MemoryStores, newProject, reported } from "../store/testing/TestStores.ts"
import { Matches } from "./Matches.ts"
import { MatchRooms } from "./MatchRooms.ts"
import type { QueueKey } from "./MatchRows.ts"
import { MatchStore } from "./MatchStore.ts"
import { QueueEntity } from "./QueueEntity.ts"

/** The rooms that were made, and how many seats each kept. */
const made: Array<string> = []
/** The rooms that were asked for seats; they have some while `seats` is true. */
const asked: Array<string> = []
let seats = true

const parts = Layer.mergeAll(
  Layer.succeed(MatchRooms, {
    make: (_projectId, { type, roomId, players }) =>
      Effect.sync(() => void made.push(`${type} ${roomId} ${players.length}`)),
    keep: (_projectId, { roomId, players }) =>
      Effect.sync(() => {
        asked.push(`${roomId} ${players.join(" ")}`)
        return seats
      })
  }),
  // Everybody's rating is the number at the end of the name.
  Layer.succeed(RatingStore, {
    of: (_projectId, _queue, ids) =>
      Effect.succeed(
        new Map(
          ids.map((id) => [id, { rating: Number(/\d+$/.exec(id)?.[0] ?? 1500), deviation: 100 }])
        )
      ),
    report: () => Effect.die("no result is reported here"),
    removeOld: Effect.succeed(0)
  })
)

/** A runner with the actors of queues, beside which there may be others on the same stores. */
const runner = Matches.layer.pipe(
  Layer.provide(QueueEntity),
  Layer.provide(TestCluster),
  Layer.provide(parts)
)

const board = {
  type: "board",
  class: "standard" as const,
  maxClients: 4,
  tickHz: 0,
  hibernateAfterMs: 1000,
  reconnectForMs: 1000,
  retention: null,
  schemaHash: "0123456789abcdef",
  schema: {}
}

const newQueue = Effect.fnUntraced(function* (types: ReadonlyArray<string> = ["board"]) {
  // The cluster gives out its shards first.
  yield* TestClock.adjust("1 second")
  const projectId = yield* newProject
  const projects = yield* ProjectStore
  const name = Option.getOrThrow(yield* projects.find(projectId)).name
  const queues = { duo: { size: 2 }, ranked: { size: 2, skill: true }, mob: { size: 5 } }
  yield* projects.set({ projectId, name }, { queues })
  const roomTypes = types.map((type) => ({ ...board, type }))
  const deployment = { bundle: new Uint8Array([1]), roomTypes }
  yield* (yield* DeploymentStore).add(projectId, deployment, () => null)
  return (queue: string): QueueKey => ({ projectId, queue })
})

const joining =
  (matches: Matches["Service"], key: QueueKey) =>
  (playerId: string, waitMs = 30_000) =>
    matches.join(key, { playerId, party: null, waitMs })

const second = TestClock.adjust(QueueLimits.matchPass.ms)

layer(Layer.provideMerge(runner, MemoryStores))((it) => {
  it.effect("[D-31] two who queue meet in one new room at the next pass", () =>
    Effect.gen(function* () {
      const key = (yield* newQueue())("duo")
      const matches = yield* Matches
      const join = joining(matches, key)
      const [ann, bob] = [yield* join("ann"), yield* join("bob")]
      expect(ann).toMatchObject({ status: "waiting", queue: "duo", playerId: "ann" })
      expect(bob.why).toBe("the queue has 2 of 2; no room with a free seat")
      yield* second
      const [one, two] = yield* Effect.forEach([ann, bob], ({ ticketId }) =>
        matches.find(key.projectId, ticketId)
      )
      expect([one?.status, two?.status]).toEqual(["matched", "matched"])
      expect(one?.roomId).toMatch(/^m_[0-9a-f]{32}$/)
      expect(two?.roomId).toBe(one?.roomId)
      expect(made.splice(0)).toEqual([`board ${one?.roomId} 2`])
    })
  )

  it.effect(
    "[C-631] a room is asked before a player is sent there; one without seats is not told of",
    () =>
      Effect.gen(function* () {
        const key = (yield* newQueue())("duo")
        const matches = yield* Matches
        const rooms = yield* RoomStore
        const room = { projectId: key.projectId, roomId: RoomId.make("open") }
        const epoch = yield* rooms.claimEpoch
        const facts = { type: "board", class: "standard", maxClients: 4 } as const
        yield* rooms.save(room, reported(awakeAt(epoch), facts))
        yield* (yield* MatchStore).offer({ ...room, epoch }, 1)
        seats = false
        const ann = yield* joining(matches, key)("ann")
        const standing = matches.find(key.projectId, ann.ticketId)
        yield* second
        expect(asked.splice(0)).toEqual(["open ann"])
        expect(yield* standing).toMatchObject({ status: "waiting" })
        seats = true
        // It is not asked again at each pass.
        yield* second
        expect(asked).toEqual([])
        yield* TestClock.adjust(QueueLimits.backfillFresh.ms)
        expect(yield* standing).toMatchObject({ status: "waiting" })
        yield* rooms.save(room, reported(awakeAt(epoch), facts))
        yield* second
        expect(asked.splice(0)).toEqual(["open ann"])
        // Its own code knows which of its teams is short of players.
        expect(yield* standing).toMatchObject({ status: "matched", roomId: "open", team: null })
      })
  )

  it.effect("[match.wait.default] who meets nobody is told so when the wait is over", () =>
    Effect.gen(function* () {
      const key = (yield* newQueue())("duo")
      const matches = yield* Matches
      const { ticketId } = yield* joining(matches, key)("ann")
      const status = Effect.map(matches.find(key.projectId, ticketId), (row) => row?.status)
      yield* TestClock.adjust(29_000)
      expect(yield* status).toBe("waiting")
      yield* TestClock.adjust(1000)
      expect(yield* status).toBe("expired")
      const late = yield* joining(matches, key)("bob")
      yield* second
      expect(yield* matches.find(key.projectId, late.ticketId)).toMatchObject({ status: "waiting" })
    })
  )

  it.effect("[D-54] a queue that no room type plays takes nobody, and says why", () =>
    Effect.gen(function* () {
      const several = yield* newQueue(["board", "arena"])
      const matches = yield* Matches
      const refused = joining(matches, several("duo"))("ann")
      expect(yield* refusalTag(refused)).toBe("E_QUEUE_NO_TYPE")
      const small = (yield* newQueue())("mob")
      const error = yield* Effect.flip(joining(matches, small)("ann"))
      expect(error.message).toBe("queue mob: a match has 5 players, a room of board 4")
    })
  )

  it.effect("[match.party.code-lifetime] a party joins by its code, whole and in time", () =>
    Effect.gen(function* () {
      const key = (yield* newQueue())("duo")
      const matches = yield* Matches
      const { code } = yield* matches.mintParty(key, 2)
      const join = (playerId: string, party: string, queue = key) =>
        matches.join(queue, { playerId, party, waitMs: 60_000 })
      const alone = yield* joining(matches, key)("eve")
      const ann = yield* join("ann", code.replace("-", "").toLowerCase())
      expect(ann.why).toBe("the party has 1 of 2")
      expect(yield* refusalTag(join("x", "0000-0000"))).toBe("E_PARTY_CODE")
      expect(yield* refusalTag(join("x", code, { ...key, queue: "ranked" }))).toBe("E_PARTY_CODE")
      yield* join("bob", code)
      expect(yield* refusalTag(join("cat", code))).toBe("E_PARTY_FULL")
      yield* second
      const [one, other] = yield* Effect.forEach([ann, alone], ({ ticketId }) =>
        matches.find(key.projectId, ticketId)
      )
      expect([one?.status, other?.status]).toEqual(["matched", "waiting"])
      yield* TestClock.adjust(QueueLimits.partyCodeLife.ms)
      expect(yield* refusalTag(join("dan", code))).toBe("E_PARTY_CODE")
    })
  )

  it.effect("[rating.band.start] the queue reads the rating of its players", () =>
    Effect.gen(function* () {
      const key = (yield* newQueue())("ranked")
      const matches = yield* Matches
      const join = joining(matches, key)
      const [low, high] = [yield* join("low1500"), yield* join("high1601")]
      expect(low.why).toContain("band 1400–1600 has 1 of 2")
      const status = Effect.map(matches.find(key.projectId, high.ticketId), (row) => row?.status)
      yield* TestClock.adjust(4000)
      expect(yield* status).toBe("waiting")
      yield* second
      expect(yield* status).toBe("matched")
    })
  )

  it.effect(
    "[C-604] tickets outlive their actor, and two actors of a queue match nobody twice",
    () =>
      Effect.gen(function* () {
        const key = (yield* newQueue())("duo")
        const here = yield* Matches
        const ann = yield* joining(here, key)("ann")
        const stores = yield* Effect.context<Layer.Success<typeof MemoryStores>>()
        const elsewhere = Layer.provide(Layer.fresh(runner), Layer.succeedContext(stores))
        const there = Context.get(yield* Layer.build(elsewhere), Matches)
        yield* TestClock.adjust("1 second")
        // It has read the ticket that the other one took, and matches it.
        const bob = yield* joining(there, key)("bob")
        yield* second
        const rows = yield* Effect.forEach([ann, bob], ({ ticketId }) =>
          here.find(key.projectId, ticketId)
        )
        expect(rows.map((row) => row?.status)).toEqual(["matched", "matched"])
        // The first one still believes that its ticket waits.
        const cat = yield* joining(here, key)("cat")
        yield* second
        expect(yield* here.find(key.projectId, cat.ticketId)).toMatchObject({ status: "waiting" })
        const dan = yield* joining(here, key)("dan")
        yield* second
        const last = yield* Effect.forEach([cat, dan], ({ ticketId }) =>
          here.find(key.projectId, ticketId)
        )
        expect(last.map((row) => row?.status)).toEqual(["matched", "matched"])
        expect(last[0]?.roomId).not.toBe(rows[0]?.roomId)
        const { depth } = yield* (yield* MatchStore).depth(key, 0)
        expect(depth).toBe(0)
      })
  )

  it.effect(
    "[D-31] a call that comes again is answered as the first time, and queues nobody again",
    () =>
      Effect.gen(function* () {
        const key = (yield* newQueue())("duo")
        const matches = yield* Matches
        // Every ticket of this runner has one id: its calls are one call that is made again.
        const oneId = Layer.succeed(RandomHex, (digits: number) => "a".repeat(digits))
        const stores = yield* Effect.context<Layer.Success<typeof MemoryStores>>()
        const repeating = Layer.provide(Layer.fresh(runner), [oneId, Layer.succeedContext(stores)])
        const join = joining(Context.get(yield* Layer.build(repeating), Matches), key)
        yield* TestClock.adjust("1 second")
        const first = yield* join("ann")
        expect(yield* join("ann")).toEqual(first)
        const bob = yield* joining(matches, key)("bob")
        yield* second
        const met = yield* matches.find(key.projectId, bob.ticketId)
        expect(met?.status).toBe("matched")
        expect(yield* join("ann")).toMatchObject({ status: "matched", roomId: met?.roomId })
        const { depth } = yield* (yield* MatchStore).depth(key, 0)
        expect(depth).toBe(0)
      })
  )
})
