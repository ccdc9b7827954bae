import { sleepByRule } from "@atrium/actors/clock/RuleTime"
import type { AwakeRoom } from "@atrium/actors/rooms/AwakeRoom"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { PlayerFields } from "@atrium/actors/rooms/PlayerFields"
import type { RoomGate } from "@atrium/actors/rooms/RoomGate"
import { RoomActor } from "@atrium/actors/rooms/RoomProtocol"
import { ServerActor, serverKeyText } from "@atrium/actors/servers/ServerProtocol"
import { randomHex, hashSecretHex } from "@atrium/actors/store/Secrets"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { isViewer } from "@atrium/domain/audience/AudienceRole"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import type { ClientAddress } from "@atrium/domain/shared/ClientAddress"
import { isProjectId, isRoomId, roomKeyText, type RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { Cause, Data, Deferred, Effect, Exit, Option } from "effect"
import { EntityId, Sharding } from "effect/cluster"

import type { ClientConnection } from "./ClientConnection.ts"
import type { Hello } from "./Hello.ts"
import { type PlayerClaims, PlayerTokens } from "./PlayerTokens.ts"
import type { DoorTarget, RoomDoor } from "./RoomDoor.ts"

/** A join that was refused: the code of the error frame, which names the close code too. */
class JoinRefused extends Data.TaggedError("JoinRefused")<{
  readonly code: string
  readonly message: string
}> {}

/** Attempts to enter a room that goes to sleep just as a client arrives. */
const entries = 3

/** The services that a join asks. */
export type JoinServices = PlayerTokens | AwakeRooms | PlayerFields | Sharding.Sharding

/** The address that joins, and the limits that count it. */
interface Admission {
  readonly door: RoomDoor
  readonly caller: ClientAddress
  nowMs(): number
}

/** A connection that has no seat yet. */
export interface Joining {
  readonly admission: Admission
  readonly connection: ClientConnection
  readonly target: DoorTarget
  readonly hello: Deferred.Deferred<Hello>
  readonly welcomed: Deferred.Deferred<void>
}

/** From the open socket to the welcome, each wait with its own end. */
export const join = (joining: Joining) =>
  Effect.gen(function* () {
    const hello = yield* Deferred.await(joining.hello).pipe(
      byRule(ConnectionLimits.handshake.ms, "E_HANDSHAKE_TIMEOUT", "no hello within 5 seconds")
    )
    const { door, caller, nowMs } = joining.admission
    if (!door.join(caller, joining.target, nowMs())) return yield* tooManyJoins
    const tokens = yield* PlayerTokens
    const claims = yield* tokens.verify(hello.token, joining.target).pipe(
      Effect.mapError(({ because }) => refusals[because]),
      byStore
    )
    if (!door.joinOfProject(joining.target, nowMs())) return yield* tooManyOfProject
    const { projectId, roomId } = joining.target
    if (!isProjectId(projectId) || !isRoomId(roomId)) {
      return yield* new JoinRefused({ code: "E_ROOM_NOT_FOUND", message: "no such room" })
    }
    yield* enter(joining, { key: { projectId, roomId }, hello, claims })
    yield* Deferred.await(joining.welcomed).pipe(
      within(RuntimeLimits.roomJoin.ms, "E_JOIN_REFUSED", "the room did not answer in time")
    )
  }).pipe(
    Effect.catchTag("JoinRefused", (refusal) =>
      Effect.sync(() => joining.connection.refuse(namingProject(refusal, joining.target)))
    ),
    Effect.catchCause((cause) => {
      // `StoreWatch` logs an outage, once.
      const away = isStoreAway(cause)
      // The actor that was asked has left its runner in the meantime.
      const moving = Cause.hasInterruptsOnly(cause)
      const because = away ? storeAway : moving ? roomMoves : joinFailed
      const refuse = Effect.sync(() => joining.connection.refuse(because))
      return away || moving
        ? refuse
        : Effect.andThen(Effect.logError("a join failed", cause), refuse)
    }),
    Effect.annotateLogs({ project: joining.target.projectId, room: joining.target.roomId })
  )

/** A client that names no project asks another one than its developer thinks: the refusal says which. */
const namingProject = ({ code, message }: JoinRefused, { projectId }: DoorTarget) => ({
  code,
  message: code === "E_ROOM_NOT_FOUND" ? `project ${projectId}: ${message}` : message
})

const storeAway = { code: "E_TENANT_WAKING", message: "the store does not answer" }
const roomMoves = { code: "E_TENANT_WAKING", message: "the room moves between runners: try again" }
const joinFailed = { code: "E_TENANT_WAKING", message: "the join failed" }
const rateLimited = (message: string) => new JoinRefused({ code: "E_RATE_LIMITED", message })
export const tooManyConnections = rateLimited("too many connections from this address")
const tooManyJoins = rateLimited("too many joins from this address")
const tooManyOfProject = rateLimited("too many joins of this project")
const tooManyRooms = rateLimited("too many new rooms from this address")

const refusals = {
  unauthenticated: new JoinRefused({
    code: "E_UNAUTHENTICATED",
    message: "the credential is missing or not valid"
  }),
  identityAlone: new JoinRefused({
    code: "E_UNAUTHENTICATED",
    message: "anonymous identity refused: the project has a JWT secret, which must sign joins"
  }),
  mismatch: new JoinRefused({
    code: "E_PROJECT_MISMATCH",
    message: "the credential is for another project or room"
  })
}

const within =
  (ms: number, code: string, message: string) =>
  <A, E, R>(wait: Effect.Effect<A, E, R>) =>
    Effect.timeoutOrElse(wait, {
      duration: ms,
      orElse: () => new JoinRefused({ code, message })
    })

/** The same for a span that the specification names: it is over when the service's clock says so. */
const byRule =
  (ms: number, code: string, message: string) =>
  <A, E, R>(wait: Effect.Effect<A, E, R>) =>
    Effect.raceFirst(wait, Effect.andThen(sleepByRule(ms), new JoinRefused({ code, message })))

const byStore = <A, E, R>(ask: Effect.Effect<A, E, R>) =>
  Effect.mapError(answeredWithin(StoreLimits.storeAnswer.ms)(ask), (error) =>
    Cause.isTimeoutError(error) ? new JoinRefused(storeAway) : error
  )

interface Entering {
  readonly key: RoomKey
  readonly hello: Hello
  readonly claims: PlayerClaims
}

/** Wakes the room and takes a seat; a room that is being put away just then is woken again. */
const enter = Effect.fn("Router.enter")(function* (
  { connection, admission }: Joining,
  { key, hello, claims }: Entering
) {
  const actorOf = yield* RoomActor.client
  const awake = yield* AwakeRooms
  const players = yield* PlayerFields
  const viewer = isViewer(claims.role)
  const load = players.load({ projectId: key.projectId, playerId: claims.playerId }).pipe(byStore)
  const wake = actorOf(roomKeyText(key))
    .Wake({ type: hello.type, create: hello.type !== null && !viewer })
    .pipe(
      Effect.timeout(ServiceLimits.actorCall.ms),
      Effect.mapError((error) => refusedBy(error))
    )
  const counted = countedOnce(admission, key, { wake, gate: () => awake.find(key)?.gate })
  for (let attempt = 0; attempt < entries; attempt++) {
    // A room that is up has nothing to ask its actor; if it is leaving, the next attempt does.
    const known = awake.find(key)
    const up = attempt === 0 ? roomUp(known, hello.type) : null
    const stays = known?.gate.open === true
    const asks = up !== null ? Effect.succeed(null) : stays ? wake : counted
    const loads = up === null || up.incarnation.keepsPlayers ? load : Effect.succeed(null)
    const [player, place] = yield* Effect.all([loads, asks], { concurrency: 2 })
    const entered = up ?? roomUp(awake.find(key), null)
    if (entered === null) {
      if (place !== null && !(yield* livesHere(key, place.serverIndex))) return yield* elsewhere
      continue
    }
    const { room, incarnation } = entered
    const { deployed, order, relay, schema } = incarnation
    connection.describe({
      roomId: key.roomId,
      version: order.version,
      playerId: claims.playerId,
      viewer,
      relay,
      schema: hello.schemaHash === deployed.schemaHash ? null : schema
    })
    const ref = room.gate.enter(connection, {
      playerId: claims.playerId,
      name: claims.name,
      role: claims.role,
      options: hello.options,
      player,
      sessionId: randomHex(16),
      resumeHash: hello.resume === null ? null : hashSecretHex(hello.resume)
    })
    if (ref === null) continue
    if (!connection.seat(room.gate, ref)) room.gate.exit(ref, false)
    return
  }
  return yield* new JoinRefused({ code: "E_TENANT_WAKING", message: "the room is going to sleep" })
})

/** Whether the server is one of this runner's: frames are not forwarded to another one. */
const livesHere = Effect.fnUntraced(function* (key: RoomKey, serverIndex: number) {
  const sharding = yield* Sharding.Sharding
  const server = EntityId.make(serverKeyText(key.projectId, serverIndex))
  return sharding.hasShardId(yield* ServerActor.getShardId(server))
})

const elsewhere = new JoinRefused({
  code: "E_TENANT_WAKING",
  message: "another runner has the room: connect to that one, or to this one again later"
})

interface Woken<A, R> {
  readonly wake: Effect.Effect<A, JoinRefused, R>
  /** That of the room, if it is up here. */
  gate(): RoomGate | undefined
}

/** The wake of a room that is not in memory, which the address may do so often. Spec: New rooms. */
const countedOnce = <A, R>(
  { door, caller, nowMs }: Admission,
  key: RoomKey,
  { wake, gate }: Woken<A, R>
): Effect.Effect<A, JoinRefused, R> => {
  let counted = false
  // A new room counts once it has let somebody in.
  const woken = (exit: Exit.Exit<A, JoinRefused>): void => {
    const made = Exit.isSuccess(exit) ? gate() : undefined
    if (made === undefined) door.woken(key, wasNothing(exit))
    else made.whenSettled((entered) => door.woken(key, !entered))
  }
  return Effect.suspend(() => {
    if (counted) return wake
    if (!door.wake(caller, key, nowMs())) return tooManyRooms
    counted = true
    return Effect.onExit(wake, (exit) => Effect.sync(() => woken(exit)))
  })
}

/** There was no such room, and none was made. */
const wasNothing = (exit: Exit.Exit<unknown, JoinRefused>): boolean =>
  Exit.isFailure(exit) &&
  Option.exists(Cause.findErrorOption(exit.cause), ({ code }) => code === "E_ROOM_NOT_FOUND")

/** The room and what runs in it, if it is awake here and of the type that is asked for. */
const roomUp = (room: AwakeRoom | undefined, type: string | null) => {
  const incarnation = room?.incarnation() ?? null
  if (room === undefined || incarnation === null) return null
  return type === null || type === incarnation.order.type ? { room, incarnation } : null
}

/** A refusal of the actor keeps its code; everything else asks the client to come again. */
const refusedBy = (error: { readonly _tag: string; readonly message: string }): JoinRefused =>
  error._tag.startsWith("E_")
    ? new JoinRefused({ code: error._tag, message: error.message })
    : new JoinRefused({ code: "E_TENANT_WAKING", message: "the room cannot be woken now" })
