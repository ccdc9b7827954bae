import { Links } from "@atrium/actors/link/Links"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { PlayerFields } from "@atrium/actors/rooms/PlayerFields"
import { RoomActor } from "@atrium/actors/rooms/RoomProtocol"
import { RandomHex } from "@atrium/actors/store/Secrets"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { isViewer } from "@atrium/domain/audience/AudienceRole"
import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { roomKeyText } from "@atrium/domain/shared/Ids"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Cause, Effect, Schedule } from "effect"

import type { ClientConnection } from "./ClientConnection.ts"
import { joinRemotely } from "./RemoteJoin.ts"
import {
  addressOf,
  barOf,
  type Entering,
  entranceOf,
  type JoinRefused,
  playerFor,
  refusedBy,
  roomUp,
  seatHere
} from "./RoomSeat.ts"

/**
 * Seats a client anew whose room has moved, wherever it wakes. The client has done nothing for it: no limit
 * counts it. The connection gives up by itself when that takes too long. Source: C-416.
 */
export const reenter = Effect.fn("Router.reenter")(function* (
  connection: ClientConnection,
  { key, hello, claims }: Entering
) {
  const actorOf = yield* RoomActor.client
  const awake = yield* AwakeRooms
  const players = yield* PlayerFields
  const links = yield* Links
  const viewer = isViewer(claims.role)
  const { resume } = connection
  // A client that was welcomed has a room; another one may still make it.
  const create = resume === null && hello.type !== null && !viewer
  const makeId = yield* RandomHex
  const since = connection.sinceMs === undefined ? {} : { sinceMs: connection.sinceMs }
  const wanted = () => ({
    ...entranceOf({ key, hello: { ...hello, resume: resume ?? hello.resume }, claims }, makeId(16)),
    ...since
  })
  const wake = actorOf(roomKeyText(key))
    .Wake({ type: hello.type, create, client: claims.test ? "test" : "player" })
    .pipe(Effect.timeout(HandoverLimits.handoverWait.ms), Effect.mapError(refusedBy))
  const load = players
    .load({ projectId: key.projectId, playerId: claims.playerId })
    .pipe(answeredWithin(StoreLimits.storeAnswer.ms))

  const enterHere = Effect.gen(function* () {
    const up = roomUp(awake.find(key), hello.type)
    if (up === null || !up.room.gate.open || barOf(up.incarnation, { key, claims }) !== null)
      return false
    const player = yield* playerFor(up, key, up.incarnation.keepsPlayers ? yield* load : null)
    return seatHere(connection, { ...up, player, key, wanted: wanted(), viewer })
  })

  const enterThere = Effect.gen(function* () {
    const { serverIndex } = yield* wake
    const server = { projectId: key.projectId, index: serverIndex }
    const address = yield* addressOf(server)
    if (address === null) return yield* enterHere
    const answer = yield* joinRemotely(address, { ...wanted(), key, connection, viewer })
    if (answer !== "Entered") links.forget(server)
    return answer === "Entered"
  })

  /** Ends with the seat, with the end of the connection, or with a refusal that no wait mends. */
  const attempt = Effect.gen(function* () {
    // A client that has left for good still has a session to end.
    if (!connection.moving && !(connection.leftForGood && resume !== null)) return true
    return (yield* enterHere) || (yield* enterThere)
  }).pipe(
    Effect.catchTag("JoinRefused", (refusal) => Effect.sync(() => refused(connection, refusal))),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) || isStoreAway(cause)
        ? Effect.succeed(false)
        : Effect.as(Effect.logWarning("a client could not follow its room yet", cause), false)
    )
  )
  yield* attempt.pipe(
    Effect.repeat({
      schedule: soonAndAgain,
      until: (done) => done,
      times: attemptsMax
    }),
    Effect.annotateLogs({ project: key.projectId, room: key.roomId })
  )
})

/** A room is back soon, or nobody takes it for a while. */
const soonAndAgain = Schedule.min([
  Schedule.exponential("25 millis"),
  Schedule.spaced(HandoverLimits.handoverRetry.ms)
])

/** More than fit into the time of a move. */
const attemptsMax = 20

/** @returns whether that was the last word */
const refused = (connection: ClientConnection, { code, message }: JoinRefused): boolean => {
  if (code === "E_TENANT_WAKING") return false
  connection.refuse({ code, message })
  return true
}
