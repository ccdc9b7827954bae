import { Orders } from "@atrium/runtime/host/HostOrders"
import { readReport, type AlarmAt, type ReportSink } from "@atrium/runtime/host/RoomReports"
import type { Migration } from "@atrium/runtime/migrations/DefineMigration"
import { RoomFrames } from "@atrium/runtime/room/ClientFrames"
import type { RoomDefinition } from "@atrium/runtime/room/DefineRoom"
import { connect, type ReceiveFrame } from "@atrium/runtime/room/Runtime"
import { unpackPlayer } from "@atrium/wire/codec/PlayerCodec"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { describe } from "@atrium/wire/schema/Describe"
import type { HiddenDefinition } from "@atrium/wire/schema/HiddenState"
import type { PlayerOf, ViewOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"

import { Client, type ClientOptions } from "../client/Client.ts"
import { decodeArray, encodeFrame } from "../client/ClientWire.ts"
import { FakeTime } from "../client/testing/FakeTime.ts"
import { freshRuntime } from "./FreshRuntime.ts"
import { HarnessBackfill } from "./HarnessBackfill.ts"
import { HarnessBoards, type HarnessRow } from "./HarnessBoards.ts"
import { answerFrom, type HarnessCall } from "./HarnessCalls.ts"
import { HarnessKv } from "./HarnessKv.ts"
import { ledByHarness, type StoredRoom, storedSchemaOf } from "./HarnessMigration.ts"
import type { HarnessLobby, HarnessOptions, HarnessPlayer } from "./HarnessOptions.ts"
import { HarnessRatings } from "./HarnessRatings.ts"
import { HarnessReplays } from "./HarnessReplays.ts"
import { type HarnessNetwork, HarnessSocket } from "./HarnessSocket.ts"
import { HarnessViews } from "./HarnessViews.ts"

interface Peer {
  readonly ref: number
  readonly player: HarnessPlayer
  readonly resume: string
  /** The schema that its hello named. */
  schemaHash: unknown
  /** Before its welcome a client hears nothing of the room. */
  joined: boolean
  receive(frame: Uint8Array): void
  close(code: number, reason: string): void
}

/**
 * One room in this process, for tests of room code: the runtime that the service runs, the client
 * that games use, virtual time, and no network between them unless a client is given one.
 */
export class RoomHarness<S extends AnyRoomSchema, H extends HiddenDefinition = {}> {
  /** `level: line`, as room code logged it. */
  readonly logs: Array<string> = []
  readonly #time = new FakeTime()
  #definition: RoomDefinition<S, H>
  #views: HarnessViews<S>
  readonly #boards: HarnessBoards
  readonly #peers = new Map<number, Peer>()
  readonly #clients = new WeakMap<Client, string>()
  readonly #players = new Map<string, Uint8Array>()
  readonly #backfill = new HarnessBackfill()
  readonly #calls: Readonly<Record<string, HarnessCall>>
  #module: URL | null
  #fresh: Awaited<ReturnType<typeof freshRuntime>> | null = null
  #alarms: ReadonlyArray<AlarmAt> = []
  #lobby: HarnessLobby = { isPublic: false, started: false, metadata: null }
  #snapshot: StoredRoom | null = null
  #receive: ReceiveFrame | null = null
  #epoch = 0
  #refs = 0

  /** Starts a room of this type. */
  constructor(definition: RoomDefinition<S, H>, options: HarnessOptions = {}) {
    this.#definition = definition
    this.#module = options.module ?? null
    this.#views = new HarnessViews(definition.schema)
    this.#boards = new HarnessBoards(options.boards ?? {})
    this.#calls = {
      ...new HarnessKv().calls,
      ...new HarnessRatings(definition.schema.queue).calls,
      ...this.#boards.calls,
      ...new HarnessReplays(() => this.#time.nowMs).calls,
      ...this.#backfill.calls
    }
    this.#start()
  }

  /**
   * A client of this player. Every room id that it joins is this room. With a `network` the client joins while `advance`
   * lets time pass.
   */
  client(
    player: HarnessPlayer,
    {
      network,
      ...options
    }: Pick<ClientOptions, "reconnectForMs"> & { readonly network?: HarnessNetwork } = {}
  ): Client {
    const connected = (socket: HarnessSocket): void => this.#connected(socket, player)
    const link = network === undefined ? null : { time: this.#time, network }
    const port = this.#time.port({
      WebSocket: class extends HarnessSocket {
        constructor() {
          super(connected, link)
        }
      }
    })
    const client = new Client("ws://localhost", { ...options, token: player.playerId }, port)
    this.#clients.set(client, player.playerId)
    return client
  }

  /**
   * The state as a client sees it, made of the very bytes that the room has sent to it.
   *
   * @param client one of this harness, or the id of its player; of several connections it is the last one
   * Throws an `Error` when the client is not in the room.
   */
  as(client: Client | string): ViewOf<S> {
    const playerId = typeof client === "string" ? client : this.#clients.get(client)
    const peer = [...this.#peers.values()].findLast(
      ({ joined, player }) => joined && player.playerId === playerId
    )
    if (peer === undefined) throw new Error(`as: ${playerId ?? "the client"} is not in the room`)
    return this.#views.of(peer.ref)
  }

  /** What the open list of rooms would show of the room. */
  get lobby(): HarnessLobby {
    return this.#lobby
  }

  /** The stored fields of a player, as `onJoin` would find them. */
  stored(playerId: string): PlayerOf<S> {
    const bytes = this.#players.get(playerId) ?? null
    // Read by the fields that the type is derived from.
    return unpackPlayer(this.#definition.schema.player, bytes) as PlayerOf<S>
  }

  /** The scores that room code has submitted to a board, the first one first. */
  board(name: string, bucket?: string): ReadonlyArray<HarnessRow> {
    return this.#boards.rows(name, bucket ?? null)
  }

  /** Ends the connections of a player, or of all, as a dead network does. */
  drop(playerId?: string): void {
    for (const peer of Array.from(this.#peers.values())) {
      if (playerId !== undefined && peer.player.playerId !== playerId) continue
      this.#peers.delete(peer.ref)
      this.#order(Orders.drop(peer.ref))
      peer.close(1006, "")
    }
  }

  /** Players that the room asks quick match for, by its last `setBackfill`. */
  get backfillSeats(): number {
    return this.#backfill.seats
  }

  /** Lets virtual time pass with all that happens in it. Resolves when nothing is on its way. */
  advance(ms: number): Promise<void> {
    return this.#time.flow(ms)
  }

  /**
   * Stores the room, ends it and lets `ms` pass; then it is awake again, from what was stored and from the module of the
   * options. Rejects with the reason when the module cannot be loaded.
   */
  async sleepFor(ms: number): Promise<void> {
    if (this.#module !== null) {
      this.#fresh ??= await freshRuntime(this.#module, this.#definition.schema.type)
    }
    await this.#end()
    await this.advance(ms)
    if (this.#receive === null) this.#start()
    await this.advance(0)
  }

  /**
   * Deploys the next version over the room: stores it, ends it, and starts it as `next`, with the state and the stored players that the
   * migration leads on. Clients come back. Where no migration is given, or it has nothing for the room, the schemas must be compatible.
   *
   * The migration of players gets the fields that this room type declares.
   *
   * Rejects with what the migration throws, or an `Error` where it does not go from the room's schema to that of `next`. The room stays on its
   * version then, and sleeps.
   *
   * @returns this harness, with the types of the next version
   */
  async migrate<T extends AnyRoomSchema, K extends HiddenDefinition = {}>(
    next: RoomDefinition<T, K>,
    migration: Migration | null = null
  ): Promise<RoomHarness<T, K>> {
    await this.#end()
    const way = { from: storedSchemaOf(this.#definition), to: storedSchemaOf(next), migration }
    const led = ledByHarness(way, { room: this.#snapshot, players: this.#players })
    this.#snapshot = led.room
    for (const [playerId, bytes] of led.players) this.#players.set(playerId, bytes)
    // From here on this is a harness of the next version.
    const harness = this as unknown as RoomHarness<T, K>
    harness.#definition = next
    harness.#views = new HarnessViews(next.schema)
    harness.#module = null
    harness.#fresh = null
    harness.#start()
    await harness.advance(0)
    return harness
  }

  /** Stores the room and ends it. */
  async #end(): Promise<void> {
    await this.advance(0)
    this.#order(Orders.takeSnapshot(1, true))
    await this.advance(0)
    // The timers of the runtime that is gone are of an earlier epoch.
    this.#epoch += 1
    this.#receive = null
    const peers = [...this.#peers.values()]
    this.#peers.clear()
    for (const peer of peers) peer.close(CloseCodes.restarting.code, "E_ROOM_RESTARTING")
  }

  #start(): void {
    this.#epoch += 1
    const epoch = this.#epoch
    const { schema } = this.#definition
    const alive = (run: () => void) => () => {
      if (epoch === this.#epoch) run()
    }
    const runtime = this.#fresh?.() ?? { connect, rooms: { room: this.#definition } }
    this.#receive = runtime.connect(
      {
        mode: "start",
        send: (frame) => {
          if (epoch === this.#epoch) readReport(frame[4] ?? 0, frame.subarray(5), this.#sink)
        },
        nowMs: () => this.#time.nowMs,
        setTimer: (delayMs, run) => this.#time.after(delayMs, alive(run)),
        afterTurn: (run) => queueMicrotask(alive(run)),
        liveBytes: () => 0,
        format: (values) => values.map(String).join(" "),
        // Nothing is stored, so that nothing has to be small.
        compression: {
          compress: (bytes) => Promise.resolve(bytes),
          decompress: (bytes) => Promise.resolve(bytes)
        },
        end: () => this.logs.push("error: the room ended")
      },
      runtime.rooms
    )
    this.#order(
      Orders.start({
        projectId: "dev",
        roomId: schema.type,
        type: schema.type,
        version: 1,
        epoch,
        seed: "harness",
        nowMs: this.#time.nowMs,
        clockRuns: true,
        snapshot: this.#snapshot,
        alarms: this.#alarms,
        keepsPeriods: true,
        lobby: { isPublic: this.#lobby.isPublic, started: this.#lobby.started },
        lobbyMetadata: this.#lobby.metadata === null ? null : JSON.stringify(this.#lobby.metadata),
        keepsReplays: true
      })
    )
  }

  #order(frame: Uint8Array): void {
    this.#receive?.(frame[4] ?? 0, frame.subarray(5))
  }

  #connected(socket: HarnessSocket, player: HarnessPlayer): void {
    this.#refs += 1
    const ref = this.#refs
    const peer: Peer = {
      ref,
      player,
      resume: `resume-${ref}`,
      schemaHash: null,
      joined: false,
      receive: (frame) => socket.deliver(frame),
      close: (code, reason) => socket.end(code, reason)
    }
    socket.onSent = (frame) => this.#sent(peer, frame)
    socket.onClosed = (code) => {
      if (!this.#peers.delete(ref)) return
      this.#order(code === CloseCodes.normal.code ? Orders.leave(ref) : Orders.drop(ref))
    }
  }

  #sent(peer: Peer, bytes: Uint8Array): void {
    const frame = decodeArray(bytes)
    if (frame[0] === ClientFrame.ping) {
      return peer.receive(encodeFrame([ServerFrame.pong, frame[1]]))
    }
    if (frame[0] !== ClientFrame.hello) return this.#order(Orders.data(peer.ref, bytes))
    const [, , , hash, resume, options] = frame
    peer.schemaHash = hash
    // A join wakes a room that sleeps.
    if (this.#receive === null) this.#start()
    this.#peers.set(peer.ref, peer)
    this.#order(
      Orders.join({
        ref: peer.ref,
        sessionId: `session-${peer.ref}`,
        playerId: peer.player.playerId,
        name: peer.player.name ?? null,
        role: "player",
        ...(peer.player.match === undefined ? {} : { match: peer.player.match }),
        options,
        resumeHash: typeof resume === "string" ? resume : null,
        nextResumeHash: peer.resume,
        player: this.#players.get(peer.player.playerId) ?? null,
        attachedAs: null
      })
    )
  }

  readonly #sink: ReportSink = {
    booted: () => {},
    described: () => {},
    failed: (why, stack) => {
      this.logs.push(`error: ${why} ${stack}`)
    },
    ready: () => {},
    joined: (ref, { sessionId, tick, state }) => {
      const peer = this.#peers.get(ref)
      if (peer === undefined) return
      const { schema } = this.#definition
      const { playerId } = peer.player
      peer.joined = true
      this.#views.welcomed(ref, state)
      const head = [ServerFrame.welcome, sessionId, schema.type, 1, tick]
      // A client with another schema gets that of the room, as from the service.
      const told = peer.schemaHash === schemaHash(schema) ? null : describe(schema)
      peer.receive(encodeFrame([...head, state, false, peer.resume, told, playerId]))
    },
    refused: (ref, { code, message }) => {
      const peer = this.#peers.get(ref)
      this.#peers.delete(ref)
      const close = code === "E_ROOM_FULL" ? CloseCodes.full : CloseCodes.refused
      peer?.receive(encodeFrame([ServerFrame.error, code, message]))
      peer?.close(close.code, code)
    },
    deliver: (refs, frame) => {
      for (const ref of refs === "all" ? this.#peers.keys() : refs) {
        const peer = this.#peers.get(ref)
        if (peer?.joined !== true) continue
        this.#views.delivered(ref, frame)
        peer.receive(frame)
      }
    },
    kick: (ref, { code, reason }) => {
      const peer = this.#peers.get(ref)
      this.#peers.delete(ref)
      peer?.close(code, reason)
    },
    changed: () => {},
    saveRequested: (saveId) => this.#order(Orders.saved(saveId, true)),
    snapshot: (_, bytes) => {
      this.#snapshot = { bytes, schema: describe(storedSchemaOf(this.#definition)) }
    },
    snapshotTooLarge: () => {},
    alarms: (alarms) => {
      this.#alarms = alarms
    },
    lobby: (change) => {
      const { metadata, ...flags } = change
      this.#lobby = { ...this.#lobby, ...flags }
      if (metadata === undefined) return
      this.#lobby = { ...this.#lobby, metadata: metadata === null ? null : JSON.parse(metadata) }
    },
    log: (level, line) => {
      this.logs.push(`${level}: ${line}`)
    },
    player: (playerId, bytes) => {
      this.#players.set(playerId, bytes)
    },
    migrated: () => {},
    migrateFailed: () => {},
    callFailed: ({ ref, callId, message }) => {
      const refusal = { code: RoomRefusals.rpcFailed.code, message }
      this.#peers.get(ref)?.receive(RoomFrames.rpcRefusal(callId, refusal))
    },
    voice: () => {},
    chunk: () => {},
    chunkReady: () => {},
    recordingLost: () => {},
    clipMade: () => {},
    pong: () => {},
    weighed: () => {},
    called: (callId, request) => {
      this.#order(Orders.callAnswered(callId, answerFrom(this.#calls, request)))
    }
  }
}
