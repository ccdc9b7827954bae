import { Links } from "@atrium/actors/link/Links"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { PlayerFields } from "@atrium/actors/rooms/PlayerFields"
import type { RoomGate } from "@atrium/actors/rooms/RoomGate"
import { RoomActor } from "@atrium/actors/rooms/RoomProtocol"
import { nthOf } from "@atrium/actors/servers/ServerIndex"
import { RandomHex } from "@atrium/actors/store/Secrets"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { isViewer } from "@atrium/domain/audience/AudienceRole"
import { allowsOrigin, anyOrigin } from "@atrium/domain/projects/Origins"
import type { ClientAddress } from "@atrium/domain/shared/ClientAddress"
import { isProjectId, isRoomId, roomKeyText, type RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { Cause, Deferred, Effect, Exit, Option } from "effect"

import { awaited } from "../http/Awaited.ts"
import { unlistedOrigin } from "../http/ProjectOrigins.ts"
import { JoinTerms } from "./JoinTerms.ts"
import { PlayerTokens } from "./PlayerTokens.ts"
import type { Arriving, Counted } from "./QuickJoin.ts"
import { type JoiningClient, joinRemotely } from "./RemoteJoin.ts"
import type { DoorTarget, RoomDoor } from "./RoomDoor.ts"
import {
  addressOf,
  barOf,
  type Entering,
  entranceOf,
  JoinRefused,
  outOfReach,
  playerFor,
  refusedBy,
  roomUp,
  seatHere
} from "./RoomSeat.ts"

/** Attempts to enter a room that goes to sleep just as a client arrives. */
const entries = 3

/** The address that joins, and the limits that count it. */
export interface Admission {
  readonly door: RoomDoor
  readonly caller: ClientAddress
  nowMs(): number
}

/** A client that has said hello and has no seat yet. */
export interface Joining extends Seeking, Omit<Arriving, "caller"> {
  readonly admission: Admission
  readonly connection: JoiningClient
  readonly counted: Counted
}

/** A connection on its way into a room. */
interface Seeking {
  readonly admission: Omit<Admission, "door"> & {
    readonly door: Pick<RoomDoor, "wake" | "woken" | "isElsewhere">
  }
  readonly connection: JoiningClient
  readonly target: DoorTarget
  readonly welcomed: Deferred.Deferred<void>
}

/** From the hello to the welcome, each wait with its own end. */
export const join = (joining: Joining) =>
  Effect.gen(function* () {
    const { admission, target, hello, counted } = joining
    const { door, caller, nowMs } = admission
    const byAddress = yield* awaited(counted.byAddress ?? door.join(caller, target, nowMs()))
    if (!byAddress) return yield* tooManyJoins
    yield* fromListedPage(joining)
    const tokens = yield* PlayerTokens
    const claims =
      tokens.verifyNow(hello.token, target) ??
      (yield* tokens.verify(hello.token, target).pipe(
        Effect.mapError(({ because }) => refusals[because]),
        byStore
      ))
    const ofProject = yield* awaited(counted.ofProject ?? door.joinOfProject(target, nowMs()))
    if (!ofProject) return yield* tooManyOfProject
    const { projectId, roomId } = target
    if (!isProjectId(projectId) || !isRoomId(roomId)) {
      return yield* new JoinRefused({ code: "E_ROOM_NOT_FOUND", message: "no such room" })
    }
    const entering = { key: { projectId, roomId }, hello, claims }
    joining.proven(entering)
    yield* enterUntilWelcome(joining, entering)
  }).pipe(refusing(joining))

/** A client of which everything is known enters its room. */
export const enterRoom = (seeking: Seeking, entering: Entering) =>
  enterUntilWelcome(seeking, entering).pipe(refusing(seeking))

/** Tells the client why its join has failed. */
const refusing =
  ({ connection, target }: Pick<Seeking, "connection" | "target">) =>
  <E, R>(joins: Effect.Effect<void, E, R>): Effect.Effect<void, never, R> =>
    joins.pipe(
      Effect.catchCause((cause) => {
        const error = Option.getOrNull(Cause.findErrorOption(cause))
        if (error instanceof JoinRefused)
          return Effect.sync(() => connection.refuse(namingProject(error, target)))
        // `StoreWatch` logs an outage, once.
        const away = isStoreAway(cause)
        // The actor that was asked has left its runner in the meantime.
        const moving = Cause.hasInterruptsOnly(cause)
        const because = away ? storeAway : moving ? roomMoves : joinFailed
        const refuse = Effect.sync(() => connection.refuse(because))
        return away || moving
          ? refuse
          : Effect.andThen(Effect.logError("a join failed", cause), refuse)
      }),
      Effect.annotateLogs({ project: target.projectId, room: target.roomId })
    )

/** Refuses a page that the project does not list; what no page sends is not looked at. Source: D-24, D-56. */
const fromListedPage = Effect.fnUntraced(function* ({ origin, target: { projectId } }: Joining) {
  // A page on localhost is always allowed: that takes no look at the project.
  if (origin === null || allowsOrigin([], origin)) return
  const { origins: listed } = yield* JoinTerms
  const known = isProjectId(projectId) ? listed.recent(projectId) : null
  if (known && allowsOrigin(known, origin)) return
  const origins = isProjectId(projectId) ? yield* listed.read(projectId).pipe(byStore) : null
  if (allowsOrigin(origins ?? [anyOrigin], origin)) return
  const { _tag: code, message } = unlistedOrigin(origin)
  return yield* new JoinRefused({ code, message })
})

/** A client that names no project asks another one than its developer thinks: the refusal says which. */
const namingProject = ({ code, message }: JoinRefused, { projectId }: DoorTarget) => ({
  code,
  message: code === "E_ROOM_NOT_FOUND" ? `project ${projectId}: ${message}` : message
})

const storeAway = { code: "E_TENANT_WAKING", message: "the store does not answer" }
const roomMoves = { code: "E_TENANT_WAKING", message: "the room moves between runners: try again" }
export const noWelcome = { code: "E_JOIN_REFUSED", message: "the room did not answer in time" }
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

const byStore = <A, E, R>(ask: Effect.Effect<A, E, R>) =>
  Effect.mapError(answeredWithin(StoreLimits.storeAnswer.ms)(ask), (error) =>
    Cause.isTimeoutError(error) ? new JoinRefused(storeAway) : error
  )

const enterUntilWelcome = Effect.fnUntraced(function* (seeking: Seeking, entering: Entering) {
  yield* enter(seeking, entering)
  yield* Deferred.await(seeking.welcomed).pipe(
    Effect.timeoutOrElse({
      duration: RuntimeLimits.roomJoin.ms,
      orElse: () => new JoinRefused(noWelcome)
    })
  )
})

/** Wakes the room and takes a seat; a room that is being put away just then is woken again. */
const enter = Effect.fn("Router.enter")(function* (
  { connection, admission }: Seeking,
  { key, hello, claims }: Entering
) {
  const actorOf = yield* RoomActor.client
  const awake = yield* AwakeRooms
  const players = yield* PlayerFields
  const links = yield* Links
  const makeId = yield* RandomHex
  const viewer = isViewer(claims.role)
  const load = players.load({ projectId: key.projectId, playerId: claims.playerId }).pipe(byStore)
  const wake = actorOf(roomKeyText(key))
    .Wake({
      type: hello.type,
      create: hello.type !== null && !viewer,
      client: claims.test ? "test" : "player"
    })
    .pipe(
      Effect.timeout(ServiceLimits.actorCall.ms),
      Effect.mapError((error) => refusedBy(error))
    )
  const counted = countedOnce(admission, key, { wake, gate: () => awake.find(key)?.gate })
  // An attempt that was lost on its way may have left a session behind: each has an id of its own.
  const wanted = () => entranceOf({ key, hello, claims }, makeId(16))
  const there = (address: string) =>
    joinRemotely(address, { ...wanted(), key, connection, viewer, ...counted.asked() })

  const attempts = Effect.gen(function* () {
    for (let attempt = 0; attempt < entries; attempt++) {
      // A room that is up has nothing to ask its actor; if it is leaving, the next attempt does.
      const known = awake.find(key)
      const up = attempt === 0 ? roomUp(known, hello.type) : null
      const reached = attempt === 0 && known === undefined ? links.reaching(key) : null
      if (reached !== null && (yield* there(reached)) === "Entered") return
      const stays = known?.gate.open === true
      const asks = up !== null ? Effect.succeed(null) : stays ? wake : counted.wake
      const loads = up === null || up.incarnation.keepsPlayers ? load : Effect.succeed(null)
      const [player, place] = yield* Effect.all([loads, asks], { concurrency: 2 })
      const entered = up ?? roomUp(awake.find(key), null)
      if (entered !== null) {
        const bar = barOf(entered.incarnation, { key, claims })
        if (bar !== null) return yield* new JoinRefused({ code: "E_BRANCH", message: bar })
        const fields = yield* playerFor(entered, key, player)
        if (seatHere(connection, { ...entered, player: fields, key, wanted: wanted(), viewer }))
          return
        continue
      }
      if (place === null) continue
      const server = { projectId: key.projectId, index: place.serverIndex }
      const address = yield* addressOf(server)
      if (address === null) continue
      admission.door.isElsewhere(key, nthOf(place.serverIndex))
      const answer = yield* there(address)
      counted.answered(answer)
      if (answer === "Entered") return
      links.forget(server)
      // A runner that is remembered may be gone since: the second time it is not.
      if (answer === "Lost" && attempt > 0) return yield* outOfReach
    }
    return yield* goesToSleep
  })
  yield* Effect.ensuring(attempts, Effect.sync(counted.ended))
})

const goesToSleep = new JoinRefused({
  code: "E_TENANT_WAKING",
  message: "the room is going to sleep"
})
interface Woken<A, R> {
  readonly wake: Effect.Effect<A, JoinRefused, R>
  /** That of the room, if it is up here. */
  gate(): RoomGate | undefined
}

/**
 * The wake of a room that is not in memory, which the address may do so often. A new room counts once it has
 * let somebody in: its gate tells, or the link to its runner. Spec: New rooms.
 */
const countedOnce = <A, R>(
  { door, caller, nowMs }: Seeking["admission"],
  key: RoomKey,
  { wake, gate }: Woken<A, R>
) => {
  let counted = false
  /** The room is up on another runner, and it is not known yet whether it has let somebody in. */
  let elsewhere = false
  /** The link to that runner tells. */
  let told = false
  const settled = (entered: boolean): void => {
    if (elsewhere) door.woken(key, !entered)
    elsewhere = false
  }
  const woken = (exit: Exit.Exit<A, JoinRefused>): void => {
    if (Exit.isFailure(exit)) return door.woken(key, wasNothing(exit))
    const made = gate()
    elsewhere = made === undefined
    made?.whenSettled((entered) => door.woken(key, !entered))
  }
  return {
    wake: Effect.gen(function* () {
      if (counted) return yield* wake
      if (!(yield* awaited(door.wake(caller, key, nowMs())))) return yield* tooManyRooms
      counted = true
      return yield* Effect.onExit(wake, (exit) => Effect.sync(() => woken(exit)))
    }),
    /** What a link is asked to tell. */
    asked: () => (elsewhere ? { settled } : {}),
    answered: (answer: "Entered" | "Absent" | "Lost"): void => {
      told = answer !== "Absent"
    },
    /** The join is over: a room that nobody told of counts. */
    ended: (): void => {
      if (!told) settled(true)
    }
  }
}

/** There was no such room, and none was made. */
const wasNothing = (exit: Exit.Exit<unknown, JoinRefused>): boolean =>
  Exit.isFailure(exit) &&
  Option.exists(Cause.findErrorOption(exit.cause), ({ code }) => code === "E_ROOM_NOT_FOUND")
