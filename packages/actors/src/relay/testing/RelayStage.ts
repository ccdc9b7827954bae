import { makeStateView } from "@atrium/wire/codec"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import type { AnyRoomSchema } from "@atrium/wire/schema"

import type { RoomProcessListener, RoomStart } from "../../process/RoomProcess.ts"
import type { RelayPort } from "../RelayPort.ts"
import { RelayRoom } from "../RelayRoom.ts"
import type { RelaySeatCaps } from "../RelayState.ts"

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

/** Time that a test moves. */
const makePort = () => {
  const timers = new Set<Timer>()
  let soon: Array<() => void> = []
  let turns: Array<() => void> = []
  const port = {
    atMs: 0,
    nowMs: () => port.atMs,
    setTimer: (delayMs: number, run: () => void) => {
      const timer = { atMs: port.atMs + delayMs, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    afterTurn: (run: () => void) => void turns.push(run),
    soon: (run: () => void) => void soon.push(run),
    /** Lets everything happen that waits for no time. */
    turn: () => {
      while (soon.length + turns.length > 0) {
        const due = soon.length > 0 ? soon : turns
        if (due === soon) soon = []
        else turns = []
        for (const run of due) run()
      }
    },
    advance: (spanMs: number) => {
      port.turn()
      const untilMs = port.atMs + spanMs
      for (;;) {
        const [next] = [...timers].toSorted((a, b) => a.atMs - b.atMs)
        if (next === undefined || next.atMs > untilMs) break
        timers.delete(next)
        port.atMs = next.atMs
        next.run()
        port.turn()
      }
      port.atMs = untilMs
    }
  }
  return port satisfies RelayPort
}

/** A client of the room: what it was sent, and the state as it follows from that. */
class StageClient {
  readonly ref: number
  readonly player: string
  readonly frames: Array<ReadonlyArray<unknown>> = []
  /** How its place ended. */
  end: ReadonlyArray<unknown> | null = null
  id = ""
  /** What its next token's hash is. */
  resumeHash = ""
  resumed = false
  readonly #view
  #tick = 0

  constructor(ref: number, player: string, schema: AnyRoomSchema) {
    this.ref = ref
    this.player = player
    this.#view = makeStateView(schema)
  }

  welcome(sessionId: string, { tick, state }: { tick: number; state: Uint8Array }): void {
    this.id = sessionId
    this.#tick = tick
    this.#view.applyFull(state)
  }

  hear(bytes: Uint8Array): void {
    // A Buffer's parts are Buffers, which no assertion takes for bytes.
    const frame = unpackValue(new Uint8Array(bytes))
    if (!Array.isArray(frame)) throw new Error("a frame is an array")
    const [type, tick, delta]: ReadonlyArray<unknown> = frame
    if (type === ServerFrame.patch && delta instanceof Uint8Array) {
      if (tick !== ++this.#tick) throw new Error(`patch ${String(tick)} after ${this.#tick - 1}`)
      this.#view.applyDelta(delta)
    }
    this.frames.push(frame)
  }

  /** What came since the last call. */
  take(): ReadonlyArray<ReadonlyArray<unknown>> {
    return this.frames.splice(0)
  }

  get full(): Uint8Array {
    return this.#view.encodeFull()
  }

  get state(): unknown {
    return JSON.parse(JSON.stringify(this.#view.state))
  }
}

interface StageOptions {
  readonly seats: RelaySeatCaps
  readonly reconnectForMs: number
  readonly snapshot: Uint8Array | null
  readonly alarms: RoomStart["alarms"]
  /** Called before each delivery: what it throws, the room throws. */
  readonly fault: () => void
  /** Session ids begin with it. */
  readonly ids: string
}

/** A relay room on virtual time, with all that it says. */
export const makeStage = (schema: AnyRoomSchema, options: Partial<StageOptions> = {}) => {
  const { seats = { players: 64, viewers: 256 }, reconnectForMs = 1000, ids = "session" } = options
  const { snapshot = null } = options
  const port = makePort()
  const clients = new Map<number, StageClient>()
  const told: Array<ReadonlyArray<unknown>> = []
  const snapshots = new Map<number, Uint8Array>()
  const ended = (ref: number, ...how: ReadonlyArray<unknown>): void => {
    const client = clients.get(ref)
    if (client !== undefined) client.end = how
    clients.delete(ref)
  }
  const listener: RoomProcessListener = {
    ready: () => void told.push(["ready"]),
    voice: () => undefined,
    joined: (ref, { sessionId, resumed, tick, state }) => {
      const client = clients.get(ref)
      client?.welcome(sessionId, { tick, state })
      if (client !== undefined) client.resumed = resumed
    },
    refused: (ref, { code }) => ended(ref, "refused", code),
    deliver: (refs, frame) => {
      options.fault?.()
      for (const ref of refs === "all" ? [...clients.keys()] : refs) {
        const client = clients.get(ref)
        if (client !== undefined && client.id !== "") client.hear(frame)
      }
    },
    kick: (ref, { code, reason }) => ended(ref, "kicked", code, reason),
    changed: () => void told.push(["changed"]),
    called: () => void told.push(["called"]),
    callFailed: () => void told.push(["callFailed"]),
    saveRequested: () => void told.push(["saveRequested"]),
    snapshot: (requestId, bytes) => void snapshots.set(requestId, bytes),
    alarms: (alarms) => void told.push(["alarms", alarms]),
    lobby: () => void told.push(["lobby"]),
    log: (level, line) => void told.push(["log", level, line]),
    lineDropped: () => void told.push(["lineDropped"]),
    ticksOverran: () => void told.push(["ticksOverran"]),
    playerChanged: () => void told.push(["playerChanged"]),
    exited: ({ cause }) => void told.push(["exited", cause])
  }
  const room = new RelayRoom({ schema, seats, reconnectForMs }, listener, port)
  let refs = 0
  let requests = 0

  const join = (
    playerId = "ann",
    more: { role?: string; resume?: string; attachedAs?: string } = {}
  ): StageClient => {
    const ref = ++refs
    const client = new StageClient(ref, playerId, schema)
    clients.set(ref, client)
    client.resumeHash = `${ids}-token-${ref}`
    room.join({
      ref,
      sessionId: `${ids}-${ref}`,
      playerId,
      name: null,
      role: more.role ?? "player",
      options: null,
      resumeHash: more.resume ?? null,
      nextResumeHash: client.resumeHash,
      player: null,
      attachedAs: more.attachedAs ?? null
    })
    port.turn()
    return client
  }

  const send = ({ ref }: { readonly ref: number }, ...frame: ReadonlyArray<unknown>): void =>
    room.data(ref, packValue(frame))

  let writes = 0
  /** The answer to a write: keys, or the code of the refusal. */
  const write = (client: StageClient, ...ops: ReadonlyArray<unknown>): unknown => {
    const id = writes++
    send(client, ClientFrame.write, id, ops)
    port.turn()
    const mine = client.frames.find(
      (frame) =>
        (frame[0] === ServerFrame.ack && frame[1] === id) ||
        (frame[0] === ServerFrame.error && frame[3] === id)
    )
    return mine?.[0] === ServerFrame.ack ? mine[2] : mine?.[1]
  }

  const takeSnapshot = (final = false): Uint8Array => {
    room.requestSnapshot(++requests, { final })
    return snapshots.get(requests) ?? new Uint8Array(0)
  }

  const gone = (client: StageClient, how: "drop" | "leave"): void => {
    clients.delete(client.ref)
    room[how](client.ref)
    port.turn()
  }

  const begun: RoomStart = {
    projectId: "dev",
    roomId: "r",
    type: schema.type,
    version: 1,
    epoch: 1,
    seed: "s",
    nowMs: 1_000_000,
    clockRuns: true,
    bundle: new Uint8Array(0),
    alarms: options.alarms ?? [],
    lobby: { isPublic: false, started: false },
    snapshot: snapshot === null ? null : { bytes: snapshot, schema: null }
  }
  room.start(begun)
  port.turn()
  return {
    room,
    port,
    told,
    join,
    send,
    write,
    snapshot: takeSnapshot,
    drop: (client: StageClient) => gone(client, "drop"),
    leave: (client: StageClient) => gone(client, "leave")
  }
}
