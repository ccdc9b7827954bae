import { randomBytes } from "node:crypto"

import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import { entryBar } from "@atrium/domain/rooms/InertRoom"
import { isProjectId, isRoomId, type ProjectId, type RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Context, Effect, Layer, Schedule, type Scope } from "effect"

import { LedPlayers } from "../migrations/LedPlayers.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { PlayerFields } from "../rooms/PlayerFields.ts"
import { ServerActor, serverKeyText } from "../servers/ServerProtocol.ts"
import { RecentlyRead } from "../store/RecentlyRead.ts"
import { Secrets } from "../store/Secrets.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { type Answering, askOver } from "./AskedRunners.ts"
import { LinkConnector } from "./LinkConnector.ts"
import { LinkListener } from "./LinkListener.ts"
import type { EnterRequest, LinkQuestion } from "./LinkMessages.ts"
import { type LinkFigures, LinkPool, type LostLink } from "./LinkPool.ts"
import type { LoadedPlayer, ReachedRoom, ReachedRooms } from "./RoomLink.ts"
import { RunnerAnswers } from "./RunnerAnswers.ts"

/** A server of a project. */
export interface ServerName {
  readonly projectId: ProjectId
  readonly index: number
}

/** The links between this runner and the others. */
export class Links extends Context.Service<
  Links,
  {
    readonly forward: LinkPool["forward"]
    readonly reaching: LinkPool["reaching"]
    readonly reached: LinkPool["reached"]
    /** The link of the runner where the server is; `null` = it is this runner, or one that takes no links. */
    addressOf(server: ServerName): Effect.Effect<string | null, unknown>
    /** Asks the runner whose link is at the address, until the scope ends. */
    ask(address: string, question: LinkQuestion): Effect.Effect<Answering, never, Scope.Scope>
    /** Forgets where the server is: it was asked there in vain. */
    forget(server: ServerName): void
    figures(): LinkFigures
  }
>()("@atrium/actors/link/Links") {
  static readonly layer = Layer.effect(
    Links,
    Effect.gen(function* () {
      const listener = yield* LinkListener
      const { linkKey } = yield* Secrets
      const scope = yield* Effect.scope
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const pool = new LinkPool({
        key: linkKey,
        rooms: yield* reachedRooms,
        nonce: () => randomBytes(32),
        ...(yield* LinkConnector),
        lost: (link) => void run(Effect.logWarning(sentenceOf(link)))
      })
      yield* Effect.acquireRelease(
        Effect.sync(() => listener.serve((stream) => pool.accept(stream))),
        () => ended(pool)
      )
      if (listener.address !== null) {
        yield* Effect.sync(() => pool.look()).pipe(
          Effect.repeat(Schedule.spaced(LinkLimits.linkBeat.ms)),
          Effect.forkIn(scope)
        )
      }
      return {
        ...(yield* makeAddresses(listener.address)),
        forward: (address, forwarding) => pool.forward(address, forwarding),
        reaching: (key) => pool.reaching(key),
        reached: () => pool.reached(),
        ask: askOver(pool),
        figures: () => pool.figures()
      }
    })
  )
}

/** Remembers where servers are; a runner that is asked in vain is asked for anew. */
const makeAddresses = Effect.fnUntraced(function* (own: string | null) {
  const serverOf = yield* ServerActor.client
  const known = new RecentlyRead<string | null>({
    weightMax: LinkLimits.linkAddresses.max,
    weightOf: () => 1
  })
  const keyOf = ({ projectId, index }: ServerName): string => serverKeyText(projectId, index)
  return {
    addressOf: Effect.fnUntraced(function* (server: ServerName) {
      const key = keyOf(server)
      const kept = known.get(key) ?? null
      if (kept !== null) return kept
      const address = yield* serverOf(key)
        .LinkAddress()
        .pipe(Effect.timeout(ServiceLimits.actorCall.ms))
      if (address === own) return null
      known.set(key, address)
      return address
    }),
    forget: (server: ServerName) => known.set(keyOf(server), null)
  }
})

const sentenceOf = ({ address, proven, why }: LostLink): string =>
  address === null
    ? `a link of another runner ${proven ? "is lost" : "is refused"}: ${why}`
    : `the link to ${address} ${proven ? "is lost" : "cannot be opened"}: ${why}`

/** Clients of rooms that were put away get their last frames first. */
const ended = (pool: LinkPool) =>
  Effect.promise((signal) => pool.end(signal)).pipe(
    Effect.interruptible,
    Effect.timeoutOption(LinkLimits.linkEnd.ms)
  )

const reachedRooms = Effect.gen(function* () {
  const awake = yield* AwakeRooms
  const players = yield* PlayerFields
  const led = yield* LedPlayers
  const { open } = yield* RunnerAnswers
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const find = (request: EnterRequest): ReachedRoom | undefined => {
    const key = keyOf(request)
    const room = key === null ? undefined : awake.find(key)
    const incarnation = room?.incarnation() ?? null
    if (key === null || room === undefined || incarnation === null) return undefined
    const { order, deployed, relay, isBranch, schema, keepsPlayers } = incarnation
    if (request.type !== null && request.type !== order.type) return undefined
    // The actor of the room, which is asked next, tells why.
    const isBarred = entryBar({ ...key, isBranch }, request.test === true) !== null
    if (isBarred) return undefined
    const { schemaHash } = deployed
    return { gate: room.gate, version: order.version, relay, schemaHash, schema, keepsPlayers }
  }

  const loadPlayer: ReachedRooms["loadPlayer"] = (request, then) => {
    const key = keyOf(request)
    const incarnation = key === null ? null : (awake.find(key)?.incarnation() ?? null)
    if (key === null || incarnation === null) return then({ _tag: "Absent" })
    const { order, playersSince } = incarnation
    const { playerId } = request
    run(
      players.load({ projectId: key.projectId, playerId }).pipe(
        answeredWithin(StoreLimits.storeAnswer.ms),
        Effect.flatMap((stored) =>
          led.fields(key, stored, { version: order.version, playersSince })
        ),
        Effect.map((fields): LoadedPlayer => ({ _tag: "Loaded", fields })),
        Effect.catchTag("PlayerRefused", ({ code, message }) =>
          Effect.succeed<LoadedPlayer>({ _tag: "Refused", code, message })
        ),
        Effect.catchCause(() => Effect.succeed<LoadedPlayer>({ _tag: "Absent" })),
        Effect.map(then)
      )
    )
  }

  const rooms: ReachedRooms = { find, loadPlayer, open }
  return rooms
})

const keyOf = ({ project, room }: EnterRequest): RoomKey | null =>
  isProjectId(project) && isRoomId(room) ? { projectId: project, roomId: room } : null
