import type { Duplex } from "node:stream"

import { sleepByRule } from "@atrium/actors/clock/RuleTime"
import { CountedProjects } from "@atrium/actors/metrics/ProjectCounts"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { randomHex } from "@atrium/actors/store/Secrets"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import type { ClientAddress } from "@atrium/domain/shared/ClientAddress"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { ClosingLimits } from "@atrium/wire/frames/ClosingLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { Deferred, Effect } from "effect"
import type { WebSocket } from "ws"

import { ClientConnection } from "./ClientConnection.ts"
import type { ConnectionShare } from "./ConnectionParts.ts"
import { watchDeadlines } from "./Deadlines.ts"
import type { Hello } from "./Hello.ts"
import { JoinTerms } from "./JoinTerms.ts"
import { PlayerTokens } from "./PlayerTokens.ts"
import { type Arriving as Client, type Counted, QuickJoin } from "./QuickJoin.ts"
import type { DoorTarget, RoomDoor } from "./RoomDoor.ts"
import { join, noWelcome, tooManyConnections } from "./RoomJoin.ts"
import { reenter } from "./RoomReentry.ts"
import type { Entering, JoinServices } from "./RoomSeat.ts"

/** A connection that is about to become a WebSocket. */
export interface Arrival {
  readonly stream: Duplex
  readonly target: DoorTarget
  /** The origin of the page that connects; `null` = no page does. */
  readonly origin: string | null
  readonly caller: ClientAddress
  readonly requestId: string
  /** It is past the limit of its address, and is told so. */
  readonly refused: boolean
  /** It waits for its room no longer. */
  arrived(): void
}

interface RouterParts {
  readonly share: ConnectionShare
  readonly door: RoomDoor
  /** Every connection from its handshake to its end. */
  readonly connections: Set<ClientConnection>
  /** What each connection has proven that it may enter. */
  readonly proven: Map<ClientConnection, Entering>
  /** The router takes no more connections. */
  readonly shut: () => boolean
}

const { name: code, says: message } = CloseCodes.handshakeTimeout
const noHello = { code, message }

const goingDown = { code: CloseCodes.restarting.name, message: "the service is going down" }

/** The waits of connections, with an end each. */
const makeWaits = (nowMs: () => number, run: (watching: Effect.Effect<void>) => void) => ({
  hellos: watchDeadlines<ClientConnection>({
    spanMs: ClosingLimits.handshake.ms,
    nowMs,
    sleep: sleepByRule,
    over: (connection) => connection.refuse(noHello),
    run
  }),
  /** Of those that `QuickJoin` has seated. */
  welcomes: watchDeadlines<ClientConnection>({
    spanMs: RuntimeLimits.roomJoin.ms,
    nowMs: () => performance.now(),
    sleep: (ms) => Effect.sleep(ms),
    over: (connection) => connection.refuse(noWelcome),
    run
  })
})

/** Sees each connection from its handshake into its room: by `QuickJoin` where that is possible, else by `join`. */
export const makeArrivals = Effect.fnUntraced(function* (router: RouterParts) {
  const { share, door, connections, proven } = router
  const run = Effect.runForkWith(yield* Effect.context<JoinServices>())
  const counts = yield* CountedProjects
  const nowMs = () => share.nowMs()
  const quick = new QuickJoin({
    tokens: yield* PlayerTokens,
    terms: yield* JoinTerms,
    awake: yield* AwakeRooms,
    door,
    nowMs,
    makeSessionId: () => randomHex(16)
  })
  const { hellos, welcomes } = makeWaits(nowMs, run)

  return (socket: WebSocket, arrival: Arrival): void => {
    const { stream, target, caller, origin } = arrival
    const welcomed = Deferred.makeUnsafe<void>()
    let entering: Entering | null = null
    const known = (it: Entering): void => {
      entering = it
      counts.touch(it.key.projectId)
      if (connections.has(connection)) proven.set(connection, it)
    }
    const joinSlowly = (client: Client, counted: Counted): void =>
      void run(
        join({ ...client, admission: { door, caller, nowMs }, counted, welcomed }).pipe(
          Effect.annotateLogs({ request: arrival.requestId })
        )
      )
    const seat = (client: Client, again: boolean): void => {
      const seating = quick.seat(client)
      switch (seating._tag) {
        case "Seated":
          return connections.has(connection) ? welcomes.begin(connection) : undefined
        case "Left":
          return joinSlowly(client, seating.counted)
        case "Unread":
          return again ? joinSlowly(client, {}) : seating.read(() => seat(client, true))
      }
    }
    const greeted = (hello: Hello): void => {
      hellos.end(connection)
      seat({ connection, target, origin, caller, hello, proven: known }, false)
    }
    const connection: ClientConnection = new ClientConnection(
      { socket, stream, from: caller.subject, project: target.projectId },
      share,
      {
        hello: greeted,
        welcomed: () => {
          arrival.arrived()
          welcomes.end(connection)
          Deferred.doneUnsafe(welcomed, Effect.void)
        },
        moved: () => void (entering !== null && run(reenter(connection, entering))),
        ended: () => {
          hellos.end(connection)
          welcomes.end(connection)
          connections.delete(connection)
          proven.delete(connection)
        }
      }
    )
    connections.add(connection)
    if (router.shut()) return connection.refuse(goingDown)
    if (arrival.refused) return refuseFlood(connection, share)
    hellos.begin(connection)
    quick.expect(target)
  }
})

/** A peer that floods does not answer the close either. */
const refuseFlood = (connection: ClientConnection, share: ConnectionShare): void => {
  connection.refuse(tooManyConnections)
  share.soon(() => connection.terminate(), HttpLimits.lastAnswer.ms)
}
