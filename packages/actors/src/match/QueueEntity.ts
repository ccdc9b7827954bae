import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { type NamedQueue, queueNamed } from "@atrium/domain/match/QueueRules"
import { isProjectId } from "@atrium/domain/shared/Ids"
import { NotReady, PartyFull, PartyUnknown, QueueNoType } from "@atrium/domain/shared/Refusal"
import { startingRating } from "@atrium/wire/ratings/Glicko"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Effect, Fiber, Option, Semaphore } from "effect"
import { Entity, type Sharding } from "effect/cluster"

import { sleepByRule } from "../clock/RuleTime.ts"
import { makeStayLoaded } from "../cluster/StayLoaded.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { RatingStore } from "../ratings/RatingStore.ts"
import { RandomHex } from "../store/Secrets.ts"
import { logFailure, refusedWithoutStore } from "../store/StoreFailure.ts"
import { MatchRooms } from "./MatchRooms.ts"
import type { EndedTicket, MatchRows, OfferedRoom, QueueChange, QueueKey } from "./MatchRows.ts"
import { MatchStore } from "./MatchStore.ts"
import {
  type JoinAnswer,
  type Match,
  QueueEvent,
  type QueueState,
  step,
  type Ticket,
  whyWaiting
} from "./QueueMachine.ts"
import { QueueActor } from "./QueueProtocol.ts"
import { roomOfQueue } from "./RoomOfQueue.ts"

/**
 * The queue's shell: it loads, steps, saves, answers, in that order, one event at a time. A pass comes each second while a
 * ticket waits. For a moment two actors may hold one queue. The store lets only one of them end a ticket, and the other
 * reads the stored tickets again. Source: D-31.
 */
export const QueueEntity = QueueActor.toLayer(
  Effect.gen(function* () {
    const key = queueOf((yield* Entity.CurrentAddress).entityId)
    const queue = yield* makeQueue(key)
    return QueueActor.of({
      Join: ({ payload }) => queue.join(payload),
      Why: ({ payload: { ticketId } }) => queue.why(ticketId)
    })
  }),
  { concurrency: "unbounded", mailboxCapacity: 4096, maxIdleTime: "1 minute" }
)

const queueOf = (entityId: string): QueueKey => {
  const slash = entityId.indexOf("/")
  const projectId = entityId.slice(0, slash)
  if (!isProjectId(projectId)) throw new Error(`no queue: ${entityId}`)
  return { projectId, queue: entityId.slice(slash + 1) }
}

interface Joining {
  readonly ticketId: string
  readonly playerId: string
  readonly party: string | null
  readonly waitMs: number
}

const makeQueue = Effect.fnUntraced(function* (key: QueueKey) {
  const store = yield* MatchStore
  const ratings = yield* RatingStore
  const declared = yield* makeDeclared(key)
  const { current, saved, empty } = yield* makeStored(key)
  const oneAtATime = yield* Semaphore.make(1)
  const scope = yield* Effect.scope

  // A caller that gives up must not leave the queue between two states.
  const alone = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(oneAtATime.withPermits(1), Effect.forkIn(scope), Effect.flatMap(Fiber.join))

  const passes = yield* makePasses(key)
  const pass = Effect.gen(function* () {
    const [next, change, matches] = yield* passes.decide(yield* current, yield* declared)
    yield* saved(next, change)
    yield* passes.make(matches)
  }).pipe(
    // The other actor's word counts: the next pass begins with what is stored.
    Effect.catchTag("QueueMoved", () => Effect.void),
    logFailure("a pass over a queue failed")
  )
  const begin = yield* makeLoop({ pass, empty, alone })

  const joined = Effect.fnUntraced(function* (joining: Joining) {
    const { ticketId, playerId, party: code, waitMs } = joining
    const found = yield* declared
    if (found._tag === "None") return yield* new QueueNoType({ message: found.message })
    const party = code === null ? null : yield* store.party(key, code)
    if (code !== null && party === null) return yield* new PartyUnknown()
    const rated = yield* ratings.of(key.projectId, key.queue, [playerId])
    const rating = rated.get(playerId)?.rating ?? startingRating.rating
    const state = yield* current
    const nowMs = yield* Clock.currentTimeMillis
    const expiresAtMs = nowMs + waitMs
    const ticket = { ticketId, playerId, rating, party, queuedAtMs: nowMs, expiresAtMs }
    const [next, answer] = step(state, QueueEvent.Joined({ ticket, nowMs }))
    if (answer._tag === "Refused") return yield* joinRefusalOf(answer)
    const ended = answer.retired === null ? [] : [endOf(answer.retired, "retired")]
    yield* saved(next, { ended, added: ticket, nowMs })
  })

  const join = (joining: Joining) =>
    joined(joining).pipe(
      // The answer of the first call got lost, and the cluster has made it again.
      Effect.catchTag("QueueMoved", (moved) =>
        Effect.flatMap(store.find(key.projectId, joining.ticketId), (row) =>
          row === null ? moved : Effect.void
        )
      ),
      // Another actor of the queue has stored something: the next try begins with that.
      Effect.retry({ while: ({ _tag }) => _tag === "QueueMoved", times: 2 }),
      Effect.catchTag("QueueMoved", () => Effect.fail(notReady)),
      Effect.catchCause(refusedWithoutStore(notReady, "a queue")),
      Effect.tap(begin),
      alone
    )

  const why = (ticketId: string) =>
    Effect.gen(function* () {
      const state = yield* current
      const { rules } = yield* declared
      const nowMs = yield* Clock.currentTimeMillis
      return whyWaiting(state, { ticketId, rules, nowMs })
    }).pipe(Effect.catchCause(refusedWithoutStore(notReady, "a queue")), Effect.tap(begin), alone)

  return { join, why }
})

/** The queue as it is stored. */
const makeStored = Effect.fnUntraced(function* (key: QueueKey) {
  const store = yield* MatchStore
  /** `null` = what is stored has to be read: at first, and after a write that was cut short. */
  let known: QueueState | null = null
  const remember = (state: QueueState) => Effect.sync(() => void (known = state))
  return {
    current: Effect.suspend((): Effect.Effect<QueueState> =>
      known === null ? Effect.tap(loadQueue(store, key), remember) : Effect.succeed(known)
    ),
    /** Stores what a step changes, and then moves on. */
    saved: Effect.fnUntraced(function* (next: QueueState, change: QueueChange) {
      known = null
      yield* store.change(key, change)
      known = next
    }),
    /** Whether nobody is known to wait. */
    empty: (): boolean => known !== null && known.tickets.length === 0
  }
})

interface Passing {
  readonly pass: Effect.Effect<void>
  empty(): boolean
  alone<A>(work: Effect.Effect<A>): Effect.Effect<A>
}

/** Passes, a second apart while somebody waits: for so long the actor stays. @returns begins them, if they are to come */
const makeLoop = Effect.fnUntraced(function* ({ pass, empty, alone }: Passing) {
  const services = yield* Effect.context<Entity.CurrentAddress | Sharding.Sharding>()
  const scope = yield* Effect.scope
  const keep = makeStayLoaded()
  const stayLoaded = (holding: boolean) => Effect.provideContext(keep(holding), services)
  let passing = false

  const passed = Effect.gen(function* () {
    yield* pass
    if (!empty()) return true
    passing = false
    yield* stayLoaded(false)
    return false
  })
  const loop = Effect.andThen(sleepByRule(QueueLimits.matchPass.ms), alone(passed))

  return Effect.suspend(() => {
    if (passing || empty()) return Effect.void
    passing = true
    const all = Effect.repeat(loop, { while: (goesOn) => goesOn })
    return Effect.andThen(stayLoaded(true), Effect.forkIn(all, scope))
  })
})

/** The queue as the project declares it now, and the room type that it makes. */
const makeDeclared = Effect.fnUntraced(function* ({ projectId, queue }: QueueKey) {
  const projects = yield* ProjectStore
  const deployments = yield* DeploymentStore
  return Effect.gen(function* () {
    const project = Option.getOrNull(yield* projects.find(projectId))
    const deployment = Option.getOrNull(yield* deployments.current(projectId))
    const named: NamedQueue | null = project === null ? null : queueNamed(project.queues, queue)
    const rules = named?.rules ?? noRules
    if (named === null) {
      return { _tag: "None" as const, rules, message: `queue ${queue}: the project has none` }
    }
    return { ...roomOfQueue(deployment?.roomTypes ?? [], queue, rules), rules }
  })
})

/** Of a queue that the project has no more: nobody is matched in it. */
const noRules = { teams: [{ min: 2, max: 2, fill: false }], skill: false }

const loadQueue = Effect.fnUntraced(function* (store: MatchRows, key: QueueKey) {
  const { ms: forMs } = QueueLimits.seatReserved
  const sinceMs = (yield* Clock.currentTimeMillis) - forMs
  const [tickets, reserved] = yield* Effect.all(
    [store.waiting(key), store.reserved(key, { sinceMs, forMs })],
    { concurrency: 2 }
  )
  return { tickets, reserved, freeSeats: 0 }
})

const endOf = (
  { ticketId }: Ticket,
  status: EndedTicket["status"],
  place: { readonly roomId: string; readonly team: number | null } | null = null
): EndedTicket => ({
  ticketId,
  status,
  roomId: place?.roomId ?? null,
  team: place?.team ?? null
})

type Declared = Effect.Success<Effect.Success<ReturnType<typeof makeDeclared>>>

/** A match, and the id of its room. */
interface Placed extends Match {
  readonly roomId: string
  readonly type: string
  readonly maxClients: number
  /** The room is new. */
  readonly fresh: boolean
}

const placedIn = (
  match: Match,
  { type, maxClients }: Extract<Declared, { readonly _tag: "Found" }>,
  makeId: (characters: number) => string
): Placed => ({
  ...match,
  roomId: match.roomId ?? `m_${makeId(32)}`,
  type,
  maxClients,
  fresh: match.roomId === null
})

const playersOf = ({ teams }: Match): ReadonlyArray<string> =>
  teams.flat().map(({ playerId }) => playerId)

/** One pass: what it asks beforehand, and what becomes of its matches. */
const makePasses = Effect.fnUntraced(function* (key: QueueKey) {
  const store = yield* MatchStore
  const rooms = yield* MatchRooms
  const makeId = yield* RandomHex
  const scope = yield* Effect.scope

  /** Asks each room that is to be filled up for its seats. @returns the matches whose room has none */
  const seatless = Effect.fnUntraced(function* (
    matches: ReadonlyArray<Match>,
    { offers, nowMs }: { readonly offers: ReadonlyArray<OfferedRoom>; readonly nowMs: number }
  ) {
    const untilMs = nowMs + QueueLimits.seatReserved.ms
    const byRoom = Map.groupBy(matches, ({ roomId }) => roomId)
    const refused = yield* Effect.forEach(
      offers,
      (offer) => {
        const sent = byRoom.get(offer.roomId) ?? []
        if (sent.length === 0) return Effect.succeed(sent)
        const asked = { ...offer, players: sent.flatMap(playersOf), untilMs }
        return Effect.map(rooms.keep(key.projectId, asked), (keeps) => (keeps ? [] : sent))
      },
      // No more than one pass may fill; each is answered within its second.
      { concurrency: "unbounded" }
    )
    return refused.flat()
  })

  const decide = Effect.fnUntraced(function* (state: QueueState, found: Declared) {
    const nowMs = yield* Clock.currentTimeMillis
    const type = found._tag === "Found" ? found.type : null
    const sinceMs = nowMs - QueueLimits.backfillFresh.ms
    const most = QueueLimits.matchOffers.max
    const offers =
      type === null
        ? []
        : yield* store.offers({ ...key, type, sinceMs, most, rating: startingRating.rating })
    const { rules } = found
    const [wanted, { matches, expired }] = step(
      state,
      QueueEvent.PassDue({ rules, offers, roomable: type !== null, nowMs })
    )
    const refused = yield* seatless(matches, { offers, nowMs })
    const [next] =
      refused.length === 0
        ? [wanted]
        : step(wanted, QueueEvent.SeatsRefused({ matches: refused, nowMs }))
    const unseated = new Set(refused)
    const seated = matches.filter((match) => !unseated.has(match))
    const placed = found._tag === "Found" ? seated.map((each) => placedIn(each, found, makeId)) : []
    const ended = [
      ...expired.map((ticket) => endOf(ticket, "expired")),
      ...placed.flatMap(({ roomId, teams, fresh }) =>
        teams.flatMap((team, at) =>
          // Which team of a room that goes on is short of players, its own code knows.
          team.map((ticket) => endOf(ticket, "matched", { roomId, team: fresh ? at : null }))
        )
      )
    ]
    return [next, { ended, added: null, nowMs } satisfies QueueChange, placed] as const
  })

  /** Wakes the new rooms ahead of their players, whose joins would wake them as well. */
  const make = Effect.fnUntraced(function* (matches: ReadonlyArray<Placed>) {
    const untilMs = (yield* Clock.currentTimeMillis) + QueueLimits.seatReserved.ms
    for (const match of matches) {
      if (!match.fresh) continue
      const { roomId, type, maxClients } = match
      const room = { roomId, type, maxClients, players: playersOf(match), untilMs }
      yield* Effect.forkIn(rooms.make(key.projectId, room), scope)
    }
  })

  return { decide, make }
})

const notReady = new NotReady({ message: "the queue does not answer; ask again" })

const joinRefusalOf = ({ code }: Extract<JoinAnswer, { readonly _tag: "Refused" }>) => {
  switch (code) {
    case "E_PARTY_CODE":
      return new PartyUnknown()
    case "E_PARTY_FULL":
      return new PartyFull()
    case "E_NOT_READY":
      return new NotReady({ message: serviceMessage("the queue is full; ask again later") })
  }
}
