import { endless, type Lease } from "../../cluster/ShardLeases.ts"
import type { JoinRequest, RoomProcess } from "../../process/RoomProcess.ts"
import type { ClientSink, Entrance } from "../ClientGate.ts"
import type { GateListener } from "../GateListener.ts"
import { RoomGate } from "../RoomGate.ts"

type Told = readonly [string, ...ReadonlyArray<unknown>]

/** A process that writes down what it is told. */
export const makeProcess = () => {
  const joins: Array<JoinRequest> = []
  const told: Array<Told> = []
  const process: RoomProcess = {
    pid: 1,
    start: () => {},
    join: (request) => {
      joins.push(request)
      told.push(["join", request.ref])
    },
    data: (ref, frame) => void told.push(["data", ref, frame]),
    drop: (ref) => void told.push(["drop", ref]),
    leave: (ref) => void told.push(["leave", ref]),
    requestSnapshot: () => {},
    peek: () => {},
    settled: (then) => then(),
    saved: () => {},
    callAnswered: () => {},
    clockMoved: () => {},
    kill: () => {}
  }
  return { process, joins, told }
}

/** Bytes of a fake welcome beside the state. */
export const welcomeHead = 7

/** A client's connection that writes down what it gets. */
export const makeClient = (name: string) => {
  const got: Array<Told> = []
  let tokens = 0
  const sink: ClientSink = {
    nextResumeHash: () => `${name}-resume-${++tokens}`,
    welcome: ({ sessionId, tick, state, staleMs }) => {
      got.push(["welcome", sessionId, tick, ...(staleMs === null ? [] : [{ staleMs }])])
      return welcomeHead + state.length
    },
    refuse: ({ code }) => void got.push(["refuse", code]),
    write: (frame) => got.push(["frame", frame]) > 0,
    close: ({ code, reason }) => void got.push(["close", code, reason]),
    hold: (held) => {
      got.push(["hold"])
      held()
    },
    moved: () => void got.push(["moved"])
  }
  return { sink, got }
}

export const entrance = (name: string, more: Partial<Entrance> = {}): Entrance => ({
  sessionId: `fresh-${name}`,
  playerId: name,
  name,
  role: "player",
  options: null,
  resumeHash: null,
  player: null,
  ...more
})

export const welcome = (sessionId: string, tick = 1) => ({
  sessionId,
  tick,
  resumed: false,
  state: new Uint8Array(10)
})

export const makeGate = (lease: Lease = endless) => {
  const occupancy: Array<string> = []
  const listener: GateListener = {
    occupancy: ({ occupied, dropped }) =>
      void occupancy.push(occupied ? "occupied" : dropped ? "dropped" : "left")
  }
  const gate = new RoomGate(listener, lease)
  const enter = (name: string, more: Partial<Entrance> = {}) => {
    const client = makeClient(name)
    const ref = gate.enter(client.sink, entrance(name, more))
    if (ref === null) throw new Error("the gate is closed")
    return { ...client, ref }
  }
  const welcomed = (name: string) => {
    const client = enter(name)
    gate.joined(client.ref, welcome(`s-${name}`))
    client.got.length = 0
    return client
  }
  return { gate, occupancy, enter, welcomed }
}

export const frame = (...bytes: ReadonlyArray<number>) => new Uint8Array(bytes)
