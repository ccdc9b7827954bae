import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

import { CountedProjects, type ProjectCounts } from "@atrium/actors/metrics/ProjectCounts"
import { FlushTogether } from "@atrium/actors/process/FlushTogether"
import { makeLoadGauge } from "@atrium/actors/process/LoadGauge"
import { SendWindows } from "@atrium/actors/process/SendWindow"
import { SharedRates } from "@atrium/actors/rates/SharedRates"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { ServiceDefaults } from "@atrium/actors/servers/ServerBoot"
import { nthOf } from "@atrium/actors/servers/ServerIndex"
import { StartedServers } from "@atrium/actors/servers/ServerStarts"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { isProjectId, isRoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { BadRequest, NotReady } from "@atrium/domain/shared/Refusal"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { ClosingLimits } from "@atrium/wire/frames/ClosingLimits"
import { Subprotocol } from "@atrium/wire/frames/Frame"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { roomAddress } from "@atrium/wire/frames/RoomPath"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { type WebSocket, WebSocketServer } from "ws"

import { ClientAddresses } from "../http/ClientAddresses.ts"
import { bytesOf, rawRefusal } from "../http/RawRefusal.ts"
import { requestIdHeader, requestIdOf } from "../http/RequestId.ts"
import { type Arrival, makeArrivals } from "./Arrivals.ts"
import { Backlogs } from "./Backlogs.ts"
import type { ClientConnection } from "./ClientConnection.ts"
import { ConnectionFigures } from "./ConnectionFigures.ts"
import type { ConnectionShare } from "./ConnectionParts.ts"
import { watchOrphans } from "./OrphanSockets.ts"
import {
  type DoorRefusals,
  type DoorServers,
  type DoorTarget,
  type Entry,
  RoomDoor
} from "./RoomDoor.ts"
import { tooManyConnections } from "./RoomJoin.ts"
import type { Entering } from "./RoomSeat.ts"
import { UnfinishedMessages } from "./UnfinishedMessages.ts"
import { FrameSharer } from "./WebSocketFrame.ts"

/** A request to become a WebSocket, as Node's HTTP server hands it out. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly stream: Duplex
  readonly head: Buffer
}

/** A client that has entered its room by this runner. */
export interface EnteredClient {
  readonly clientId: string
  readonly lagMs: number | null
  readonly backlogBytes: number
}

/** Identities of a project whose tokens are not valid any more, and a player who was deleted. */
export interface EndedIdentities {
  readonly projectId: string
  readonly identityIds: ReadonlyArray<string>
  /** Absent = no player was deleted. */
  readonly playerId?: string
}

const isEnded = (
  { projectId, identityIds, playerId }: EndedIdentities,
  { key, claims }: Entering
): boolean =>
  key.projectId === projectId &&
  (claims.playerId === playerId ||
    (claims.identityId !== null && identityIds.includes(claims.identityId)))

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
    /** What its connections did so far. */
    readonly figures: ConnectionFigures
    /** What the connections of this runner know of themselves, of those in a room. */
    clientsOf(key: RoomKey): ReadonlyArray<EnteredClient>
    /** Ends the connections that came with tokens of these identities. */
    closeEnded(ended: EndedIdentities): void
    /** Takes no more connections, as this runner ends and others go on. Those in rooms end with their rooms. */
    readonly leave: Effect.Effect<void>
    /** Takes no more connections, and closes those that are there. */
    readonly shut: Effect.Effect<void>
  }
>()("@atrium/api/router/RoomRouter") {
  static readonly layer = Layer.effect(
    RoomRouter,
    Effect.gen(function* () {
      const connections = new Set<ClientConnection>()
      /** What each connection has proven that it may enter. */
      const proven = new Map<ClientConnection, Entering>()
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const counts = yield* CountedProjects
      const share: ConnectionShare = {
        ...sharedState(yield* SendWindows, counts),
        soon: (act, ms) => void run(Effect.delay(Effect.sync(act), ms)),
        leaving: () => ends.leaving,
        nowMs: () => clock.currentTimeMillisUnsafe()
      }
      const addresses = yield* ClientAddresses
      const door = yield* makeDoor(counts)
      const ends = { leaving: false, shut: false }

      const shut = () => ends.shut
      const connected = yield* makeArrivals({ share, door, connections, proven, shut })
      const accept = makeAccept({ addresses, door, share, connected })

      yield* Effect.forkIn(pingAll(connections), scope)
      yield* watchOrphans(connections).pipe(Effect.forkIn(scope))

      return {
        accept,
        sockets: () => connections.size,
        refusals: () => door.refusals,
        figures: share.figures,
        clientsOf: (key) => enteredBy(proven, key),
        closeEnded: (ended) => {
          for (const [connection, entering] of proven) {
            if (isEnded(ended, entering)) connection.end(CloseCodes.unauthenticated)
          }
        },
        leave: Effect.sync(() => void (ends.leaving = true)),
        shut: Effect.sync(() => {
          ends.shut = true
          for (const connection of connections) connection.end(CloseCodes.restarting)
        })
      }
    })
  )
}

/** The door, which tells each refusal to the counts of its project. */
const makeDoor = Effect.fnUntraced(function* (counts: ProjectCounts) {
  const shared = yield* SharedRates
  const servers = yield* doorServers
  return new RoomDoor(
    servers,
    (limit) => shared.of(limit),
    (projectId, limit) => counts.refused(projectId, limit)
  )
})

const enteredBy = (
  proven: ReadonlyMap<ClientConnection, Entering>,
  { projectId, roomId }: RoomKey
): ReadonlyArray<EnteredClient> => {
  const entered: Array<EnteredClient> = []
  for (const [{ told, heartbeat, backlogBytes }, { key }] of proven) {
    if (told !== null && key.roomId === roomId && key.projectId === projectId) {
      entered.push({ clientId: told.sessionId, lagMs: heartbeat.lagMs, backlogBytes })
    }
  }
  return entered
}

interface Accepting {
  readonly addresses: ClientAddresses["Service"]
  readonly door: RoomDoor
  readonly share: Pick<ConnectionShare, "nowMs" | "leaving">
  readonly connected: (socket: WebSocket, arrival: Arrival) => void
}

/** Takes connections, before the handshake has cost anything. */
const makeAccept = ({ addresses, door, share, connected }: Accepting) => {
  const server = makeSocketServer()
  const admit = (
    { request, stream, head }: Upgrade,
    { target, caller, entry }: Pick<Arrival, "target" | "caller"> & { readonly entry: Entry }
  ): void => {
    const requestId = requestIdOf(request)
    if (entry._tag === "Cut") return cutOff(stream, requestId, entry.retryAfterMs)
    if (!door.waits(caller)) return cutOff(stream, requestId, ClosingLimits.handshake.ms)
    const arrived = once(() => door.waited(caller))
    stream.once("close", arrived)
    const refused = entry._tag === "Refused"
    const origin = request.headers.origin ?? null
    const arrival = { stream, target, origin, caller, arrived, requestId, refused }
    server.handleUpgrade(request, stream, head, (socket) => connected(socket, arrival))
  }
  return (upgrade: Upgrade, target: DoorTarget): void => {
    const { request, stream } = upgrade
    if (share.leaving()) return endWith(stream, bytesOf(endsNow, requestIdOf(request)))
    const caller = addresses.of(request.socket.remoteAddress, request.headers)
    const entry = door.connect(caller, target, share.nowMs())
    const go = (told: Entry): void => admit(upgrade, { target, caller, entry: told })
    if (entry instanceof Promise) held(stream, entry, go)
    else go(entry)
  }
}

const pingAll = (connections: ReadonlySet<ClientConnection>) =>
  Effect.sync(() => {
    for (const connection of connections) {
      if (connection.heartbeat.alive) connection.ping()
      else connection.terminate()
    }
  }).pipe(Effect.repeat(Schedule.spaced(ConnectionLimits.pingEvery.ms)))

/** The parts that connections share. */
const sharedState = (
  sendWindows: boolean,
  counts: ProjectCounts
): Omit<ConnectionShare, "soon" | "nowMs" | "leaving"> => {
  const load = makeLoadGauge(sendWindows)
  return {
    // Under load the answers of other rooms have the time to come.
    turn: new FlushTogether(() => (load.loaded ? ConnectionLimits.writeWindow.ms : 0)),
    frames: new FrameSharer(),
    backlogs: new Backlogs(),
    unfinished: new UnfinishedMessages(),
    figures: new ConnectionFigures(counts)
  }
}

/** Nobody else listens to the stream until the answer comes. One that is gone by then gets none. */
const held = <A>(stream: Duplex, answer: Promise<A>, go: (answer: A) => void): void => {
  const ignored = (): void => undefined
  stream.on("error", ignored)
  void answer.then((told) => {
    stream.off("error", ignored)
    if (!stream.destroyed) go(told)
  })
}

const once = (act: () => void): (() => void) => {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}

const placeOf = (serverIndex: number | undefined): number | null =>
  serverIndex === undefined ? null : nthOf(serverIndex)

/** The facts about this runner's rooms and servers that the door asks for. */
const doorServers = Effect.gen(function* () {
  const awake = yield* AwakeRooms
  const starts = yield* StartedServers
  const { connectionsPerIpPerMin } = yield* ServiceDefaults
  const servers: DoorServers = {
    nthOf: ({ projectId, roomId }) =>
      isProjectId(projectId) && isRoomId(roomId)
        ? placeOf(awake.find({ projectId, roomId })?.incarnation()?.order.serverIndex)
        : null,
    perMinute: (projectId, nth) => starts.find({ projectId, nth })?.connectionsPerIpPerMin ?? null,
    perMinuteDefault: connectionsPerIpPerMin ?? ProjectLimits.connectionsPerIpPerMinDefault.max
  }
  return servers
})

/** A load balancer asks the next runner. */
const endsNow = rawRefusal(new NotReady({ message: "this runner ends: ask again" }), 503, [
  "retry-after: 1"
])

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
