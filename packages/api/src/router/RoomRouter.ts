import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

import { sleepByRule } from "@atrium/actors/clock/RuleTime"
import { FlushTogether } from "@atrium/actors/process/FlushTogether"
import { LoadGauge } from "@atrium/actors/process/LoadGauge"
import type { AwakeRoom } from "@atrium/actors/room/AwakeRoom"
import { AwakeRooms } from "@atrium/actors/room/AwakeRooms"
import { PlayerFields } from "@atrium/actors/room/PlayerFields"
import { RoomActor } from "@atrium/actors/room/RoomProtocol"
import { randomHex, hashSecretHex } from "@atrium/actors/store/Secrets"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { isViewer } from "@atrium/domain/AudienceRole"
import { CloseCodes } from "@atrium/domain/CloseCode"
import { Subprotocol } from "@atrium/domain/Frame"
import { isProjectId, isRoomId, roomKeyText, type RoomKey } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { BadRequest } from "@atrium/domain/Refusal"
import { serviceMessage } from "@atrium/domain/ServiceMessage"
import { Cause, Clock, Context, Data, Deferred, Effect, Layer, Schedule } from "effect"
import type { Sharding } from "effect/cluster"
import { type WebSocket, WebSocketServer } from "ws"

import { rawRefusal } from "../http/RawRefusal.ts"
import { ClientConnection, type ConnectionShare } from "./ClientConnection.ts"
import type { Hello } from "./Hello.ts"
import { type PlayerClaims, PlayerTokens } from "./PlayerTokens.ts"
import { FrameSharer } from "./WebSocketFrame.ts"

/** What the address of a WebSocket names; nothing is proven yet. */
export interface Target {
  readonly projectId: string
  readonly roomId: string
}

/** A request to become a WebSocket, as Node's HTTP server hands it out. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly stream: Duplex
  readonly head: Buffer
}

/** Reads `/v1/rooms/{project}/{room}`; `null` for every other path. */
export const targetOf = (url: string): Target | null => {
  const match = /^\/v1\/rooms\/([^/?#]+)\/([^/?#]+)(?:[?#]|$)/.exec(url)
  const [, projectId, roomId] = match ?? []
  if (projectId === undefined || roomId === undefined) return null
  try {
    return { projectId: decodeURIComponent(projectId), roomId: decodeURIComponent(roomId) }
  } catch {
    return null
  }
}

/** A join that was refused: the code of the error frame, which names the close code too. */
class JoinRefused extends Data.TaggedError("JoinRefused")<{
  readonly code: string
  readonly message: string
}> {}

/** Attempts to enter a room that goes to sleep just as a client arrives. */
const entries = 3

/** Takes WebSockets, proves who is behind them, and seats them in their rooms. */
export class RoomRouter extends Context.Service<
  RoomRouter,
  {
    /** Takes over a connection that asked for a WebSocket on {@link targetOf} an address. */
    accept(upgrade: Upgrade, target: Target): void
    readonly sockets: () => number
    /** Takes no more connections; those in rooms are closed by their rooms. */
    readonly shut: Effect.Effect<void>
  }
>()("@atrium/api/router/RoomRouter") {
  static readonly layer = Layer.effect(
    RoomRouter,
    Effect.gen(function* () {
      const connections = new Set<ClientConnection>()
      const clock = yield* Clock.Clock
      const load = new LoadGauge()
      const share: ConnectionShare = {
        // Under load the answers of other rooms have the time to come.
        turn: new FlushTogether(() => (load.loaded ? Limits.writeWindow.ms : 0)),
        frames: new FrameSharer(),
        nowMs: () => clock.currentTimeMillisUnsafe()
      }
      const scope = yield* Effect.scope
      const run = Effect.runForkWith(yield* Effect.context<JoinServices>())
      const server = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        // A frame just past the limit is read, so that it can be refused by its own code.
        maxPayload: 2 * Limits.frameBytes.max,
        // The types of `ws` do not know these two yet.
        ...{ maxFragments: Limits.messagePieces.max, maxPendingAutoPongs: Limits.pongsWaiting.max },
        handleProtocols: (offered) => (offered.has(Subprotocol) ? Subprotocol : false)
      })
      server.on("wsClientError", ({ message }, stream) => {
        const refusal = new BadRequest({ message: serviceMessage(message) })
        stream.once("finish", () => stream.destroy())
        stream.end(rawRefusal(refusal, 400, ["sec-websocket-version: 13"]))
      })
      let open = true

      const connected = (socket: WebSocket, stream: Duplex, target: Target): void => {
        const hello = Deferred.makeUnsafe<Hello>()
        const welcomed = Deferred.makeUnsafe<void>()
        const connection = new ClientConnection({ socket, stream }, share, {
          hello: (read) => Deferred.doneUnsafe(hello, Effect.succeed(read)),
          welcomed: () => Deferred.doneUnsafe(welcomed, Effect.void),
          ended: () => connections.delete(connection)
        })
        connections.add(connection)
        if (!open) return connection.refuse(goingDown)
        run(join({ connection, target, hello, welcomed }))
      }

      yield* Effect.sync(() => {
        for (const connection of connections) {
          if (connection.alive) connection.ping()
          else connection.terminate()
        }
      }).pipe(Effect.repeat(Schedule.spaced(Limits.pingEvery.ms)), Effect.forkIn(scope))

      return {
        accept: ({ request, stream, head }, target) =>
          server.handleUpgrade(request, stream, head, (socket) =>
            connected(socket, stream, target)
          ),
        sockets: () => connections.size,
        shut: Effect.sync(() => {
          open = false
          for (const connection of connections) connection.end(CloseCodes.restarting)
        })
      }
    })
  )
}

type JoinServices = PlayerTokens | AwakeRooms | PlayerFields | Sharding.Sharding

interface Joining {
  readonly connection: ClientConnection
  readonly target: Target
  readonly hello: Deferred.Deferred<Hello>
  readonly welcomed: Deferred.Deferred<void>
}

/** From the open socket to the welcome, each wait with its own end. */
const join = (joining: Joining) =>
  Effect.gen(function* () {
    const hello = yield* Deferred.await(joining.hello).pipe(
      byRule(Limits.handshake.ms, "E_HANDSHAKE_TIMEOUT", "no hello within 5 seconds")
    )
    const tokens = yield* PlayerTokens
    const claims = yield* tokens.verify(hello.token, joining.target).pipe(
      Effect.mapError(({ because }) => refusals[because]),
      byStore
    )
    const { projectId, roomId } = joining.target
    if (!isProjectId(projectId) || !isRoomId(roomId)) {
      return yield* new JoinRefused({ code: "E_ROOM_NOT_FOUND", message: "no such room" })
    }
    yield* enter(joining, { key: { projectId, roomId }, hello, claims })
    yield* Deferred.await(joining.welcomed).pipe(
      within(Limits.roomJoin.ms, "E_JOIN_REFUSED", "the room did not answer in time")
    )
  }).pipe(
    Effect.catchTag("JoinRefused", (refusal) =>
      Effect.sync(() => joining.connection.refuse(refusal))
    ),
    Effect.catchCause((cause) => {
      // An outage is told once, by whoever watches the store.
      const away = isStoreAway(cause)
      const refuse = Effect.sync(() => joining.connection.refuse(away ? storeAway : joinFailed))
      return away ? refuse : Effect.andThen(Effect.logError("a join failed", cause), refuse)
    }),
    Effect.annotateLogs({ project: joining.target.projectId, room: joining.target.roomId })
  )

const storeAway = { code: "E_TENANT_WAKING", message: "the store does not answer" }
const joinFailed = { code: "E_TENANT_WAKING", message: "the join failed" }
const goingDown = { code: CloseCodes.restarting.name, message: "the service is going down" }

const refusals = {
  unauthenticated: new JoinRefused({
    code: "E_UNAUTHENTICATED",
    message: "the credential is missing or not valid"
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
  Effect.mapError(answeredWithin(Limits.storeAnswer.ms)(ask), (error) =>
    Cause.isTimeoutError(error) ? new JoinRefused(storeAway) : error
  )

interface Entering {
  readonly key: RoomKey
  readonly hello: Hello
  readonly claims: PlayerClaims
}

/** Wakes the room and takes a seat; a room that is being put away just then is woken again. */
const enter = Effect.fn("Router.enter")(function* (
  { connection }: Joining,
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
      Effect.timeout(Limits.actorCall.ms),
      Effect.mapError((error) => refusedBy(error))
    )
  for (let attempt = 0; attempt < entries; attempt++) {
    // A room that is up has nothing to ask its actor; if it is leaving, the next attempt does.
    const up = attempt === 0 ? roomUp(awake.find(key), hello.type) : null
    const asks = up === null ? wake : Effect.void
    const loads = up === null || up.incarnation.keepsPlayers ? load : Effect.succeed(null)
    const [player] = yield* Effect.all([loads, asks], { concurrency: 2 })
    const entered = up ?? roomUp(awake.find(key), null)
    if (entered === null) continue
    const { room, incarnation } = entered
    const { deployed, order } = incarnation
    connection.describe({
      roomId: key.roomId,
      version: order.version,
      ...{ playerId: claims.playerId, viewer },
      schema: hello.schemaHash === deployed.schemaHash ? null : deployed.schema
    })
    const ref = room.gate.enter(connection, {
      ...{ playerId: claims.playerId, name: claims.name, role: claims.role },
      ...{ options: hello.options, player, sessionId: randomHex(16) },
      resumeHash: hello.resume === null ? null : hashSecretHex(hello.resume)
    })
    if (ref === null) continue
    if (!connection.seat(room.gate, ref)) room.gate.exit(ref, false)
    return
  }
  return yield* new JoinRefused({ code: "E_TENANT_WAKING", message: "the room is going to sleep" })
})

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
