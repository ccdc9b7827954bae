import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

import { FlushTogether } from "@atrium/actors/process/FlushTogether"
import { makeLoadGauge } from "@atrium/actors/process/LoadGauge"
import { SendWindows } from "@atrium/actors/process/SendWindow"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { ServiceDefaults } from "@atrium/actors/servers/ServerBoot"
import { StartedServers } from "@atrium/actors/servers/ServerStarts"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import type { ClientAddress } from "@atrium/domain/shared/ClientAddress"
import { isProjectId, isRoomId } from "@atrium/domain/shared/Ids"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { Subprotocol } from "@atrium/wire/frames/Frame"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { roomAddress } from "@atrium/wire/frames/RoomPath"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Context, Deferred, Effect, Layer, Schedule } from "effect"
import { type WebSocket, WebSocketServer } from "ws"

import { ClientAddresses } from "../http/ClientAddresses.ts"
import { bytesOf, rawRefusal } from "../http/RawRefusal.ts"
import { requestIdHeader, requestIdOf } from "../http/RequestId.ts"
import { Backlogs } from "./Backlogs.ts"
import { ClientConnection, type ConnectionShare } from "./ClientConnection.ts"
import type { Hello } from "./Hello.ts"
import { type DoorRefusals, type DoorServers, type DoorTarget, RoomDoor } from "./RoomDoor.ts"
import { join, type JoinServices, tooManyConnections } from "./RoomJoin.ts"
import { UnfinishedMessages } from "./UnfinishedMessages.ts"
import { FrameSharer } from "./WebSocketFrame.ts"

/** A request to become a WebSocket, as Node's HTTP server hands it out. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly stream: Duplex
  readonly head: Buffer
}

/** Reads the address of a room; `null` for every other path. */
export const targetOf = (url: string): DoorTarget | null => {
  const match = roomAddress.exec(url)
  const [, projectId, roomId] = match ?? []
  if (projectId === undefined || roomId === undefined) return null
  try {
    return { projectId: decodeURIComponent(projectId), roomId: decodeURIComponent(roomId) }
  } catch {
    return null
  }
}

/** Takes WebSockets, proves who is behind them, and seats them in their rooms. */
export class RoomRouter extends Context.Service<
  RoomRouter,
  {
    /** Takes over a connection that asked for a WebSocket on {@link targetOf} an address. */
    accept(upgrade: Upgrade, target: DoorTarget): void
    readonly sockets: () => number
    /** How often its limits refused somebody so far. */
    readonly refusals: () => DoorRefusals
    /** Takes no more connections; those in rooms are closed by their rooms. */
    readonly shut: Effect.Effect<void>
  }
>()("@atrium/api/router/RoomRouter") {
  static readonly layer = Layer.effect(
    RoomRouter,
    Effect.gen(function* () {
      const connections = new Set<ClientConnection>()
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const run = Effect.runForkWith(yield* Effect.context<JoinServices>())
      const share: ConnectionShare = {
        ...sharedState(yield* SendWindows),
        soon: (act, ms) => void run(Effect.delay(Effect.sync(act), ms)),
        nowMs: () => clock.currentTimeMillisUnsafe()
      }
      const addresses = yield* ClientAddresses
      const door = new RoomDoor(yield* doorServers)
      const server = makeSocketServer()
      let open = true

      const connected = (socket: WebSocket, arrival: Arrival): void => {
        const { stream, target, caller } = arrival
        const hello = Deferred.makeUnsafe<Hello>()
        const welcomed = Deferred.makeUnsafe<void>()
        const connection = new ClientConnection({ socket, stream, from: caller.subject }, share, {
          hello: (read) => Deferred.doneUnsafe(hello, Effect.succeed(read)),
          welcomed: () => {
            arrival.arrived()
            Deferred.doneUnsafe(welcomed, Effect.void)
          },
          ended: () => connections.delete(connection)
        })
        connections.add(connection)
        if (!open) return connection.refuse(goingDown)
        if (arrival.refused) {
          connection.refuse(tooManyConnections)
          // A peer that floods does not answer the close either.
          return share.soon(() => connection.terminate(), HttpLimits.lastAnswer.ms)
        }
        const admission = { door, caller, nowMs: () => share.nowMs() }
        run(
          join({ connection, target, hello, welcomed, admission }).pipe(
            Effect.annotateLogs({ request: arrival.requestId })
          )
        )
      }

      /** Before the handshake has cost anything. */
      const accept = ({ request, stream, head }: Upgrade, target: DoorTarget): void => {
        const caller = addresses.of(request.socket.remoteAddress, request.headers)
        const entry = door.connect(caller, target, share.nowMs())
        const requestId = requestIdOf(request)
        if (entry._tag === "Cut") return cutOff(stream, requestId, entry.retryAfterMs)
        if (!door.waits(caller)) return cutOff(stream, requestId, ConnectionLimits.handshake.ms)
        const arrived = once(() => door.waited(caller))
        stream.once("close", arrived)
        const refused = entry._tag === "Refused"
        const arrival = { stream, target, caller, arrived, requestId, refused }
        server.handleUpgrade(request, stream, head, (socket) => connected(socket, arrival))
      }

      yield* Effect.sync(() => {
        for (const connection of connections) {
          if (connection.alive) connection.ping()
          else connection.terminate()
        }
      }).pipe(Effect.repeat(Schedule.spaced(ConnectionLimits.pingEvery.ms)), Effect.forkIn(scope))

      return {
        accept,
        sockets: () => connections.size,
        refusals: () => door.refusals,
        shut: Effect.sync(() => {
          open = false
          for (const connection of connections) connection.end(CloseCodes.restarting)
        })
      }
    })
  )
}

/** The parts that connections share. */
const sharedState = (sendWindows: boolean): Omit<ConnectionShare, "soon" | "nowMs"> => {
  const load = makeLoadGauge(sendWindows)
  return {
    // Under load the answers of other rooms have the time to come.
    turn: new FlushTogether(() => (load.loaded ? ConnectionLimits.writeWindow.ms : 0)),
    frames: new FrameSharer(),
    backlogs: new Backlogs(),
    unfinished: new UnfinishedMessages()
  }
}

/** A connection that is about to become a WebSocket. */
interface Arrival {
  readonly stream: Duplex
  readonly target: DoorTarget
  readonly caller: ClientAddress
  readonly requestId: string
  /** It is past the limit of its address, and is told so. */
  readonly refused: boolean
  /** It waits for its room no longer. */
  arrived(): void
}

const once = (act: () => void): (() => void) => {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}

/** The facts about this runner's rooms and servers that the door asks for. */
const doorServers = Effect.gen(function* () {
  const awake = yield* AwakeRooms
  const starts = yield* StartedServers
  const { connectionsPerIpPerMin } = yield* ServiceDefaults
  const servers: DoorServers = {
    indexOf: ({ projectId, roomId }) =>
      isProjectId(projectId) && isRoomId(roomId)
        ? (awake.find({ projectId, roomId })?.incarnation()?.order.serverIndex ?? 0)
        : 0,
    perMinute: (projectId, index) =>
      starts.find({ projectId, index })?.connectionsPerIpPerMin ?? null,
    perMinuteDefault: connectionsPerIpPerMin ?? ProjectLimits.connectionsPerIpPerMinDefault.max
  }
  return servers
})

const goingDown = { code: CloseCodes.restarting.name, message: "the service is going down" }

/** Refuses a connection by HTTP, which costs less than a handshake. */
const cutOff = (stream: Duplex, requestId: string, retryAfterMs: number): void => {
  const { code: _tag, message } = tooManyConnections
  const seconds = Math.ceil(retryAfterMs / 1000)
  const refusal = rawRefusal({ _tag, message }, 429, [`retry-after: ${seconds}`])
  endWith(stream, bytesOf(refusal, requestId))
}

const endWith = (stream: Duplex, bytes: string): void => {
  stream.once("finish", () => stream.destroy())
  stream.end(bytes)
}

// By itself, as the types of `ws` do not know it yet.
const pongLimit = { maxPendingAutoPongs: ConnectionLimits.pongsWaiting.max }

const makeSocketServer = (): WebSocketServer => {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // A frame just past the limit is read, so that it can be refused by its own code.
    maxPayload: 2 * FrameLimits.frameBytes.max,
    maxBufferedChunks: ConnectionLimits.messageChunks.max,
    maxFragments: ConnectionLimits.messagePieces.max,
    ...pongLimit,
    handleProtocols: (offered) => (offered.has(Subprotocol) ? Subprotocol : false)
  })
  server.on("headers", (headers, request) => {
    headers.push(`${requestIdHeader}: ${requestIdOf(request)}`)
  })
  server.on("wsClientError", ({ message }, stream, request) => {
    const refusal = new BadRequest({ message: serviceMessage(message) })
    const bytes = rawRefusal(refusal, 400, ["sec-websocket-version: 13"])
    endWith(stream, bytesOf(bytes, requestIdOf(request)))
  })
  return server
}
