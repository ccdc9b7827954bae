import { zstdCompressSync, zstdDecompressSync } from "node:zlib"

import { packRecord } from "@atrium/wire/codec/RecordCodec"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { describe } from "@atrium/wire/schema/Describe"
import type { HiddenDefinition } from "@atrium/wire/schema/HiddenState"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { Compression } from "../host/Compression.ts"
import { FrameHeaderBytes } from "../host/HostFrames.ts"
import { type JoinOrder, Orders, type StartOrder } from "../host/HostOrders.ts"
import { readReport, type ReportSink } from "../host/RoomReports.ts"
import type { RuntimePort } from "../host/RuntimePort.ts"
import { defineRoom, type RoomDefinition } from "../room/DefineRoom.ts"
import type { RoomHandlers } from "../room/Room.ts"
import { connect, type ReceiveFrame } from "../room/Runtime.ts"
import { joinOf, StartOfRoom } from "./TestOrders.ts"

/** One report: its name and arguments; client frames are unpacked. */
export type Report = readonly [name: string, ...values: ReadonlyArray<unknown>]

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

/** Time and turns that a test moves by hand. */
export class TestPort implements RuntimePort {
  readonly mode: "describe" | "start"
  readonly reports: Report[] = []
  readonly compression: Compression = {
    compress: (bytes) => Promise.resolve(new Uint8Array(zstdCompressSync(bytes))),
    decompress: (bytes, maxOutputLength) =>
      Promise.resolve(new Uint8Array(zstdDecompressSync(bytes, { maxOutputLength })))
  }
  ended = false
  #nowMs = 1000
  #timers = new Set<Timer>()
  #turns: Array<() => void> = []

  constructor(mode: "describe" | "start" = "start") {
    this.mode = mode
  }

  send(frame: Uint8Array): void {
    readReport(frame[4] ?? 0, frame.subarray(FrameHeaderBytes), this.#sink)
  }

  nowMs(): number {
    return this.#nowMs
  }

  setTimer(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  afterTurn(run: () => void): void {
    this.#turns.push(run)
  }

  liveBytes(): number {
    return 12_345
  }

  format(values: ReadonlyArray<unknown>): string {
    return values.map(String).join(" ")
  }

  end(): void {
    this.ended = true
  }

  turn(): void {
    while (this.#turns.length > 0) this.#turns.shift()?.()
  }

  /** Lets time pass; timers run at their time, in order. */
  pass(ms: number): void {
    const untilMs = this.#nowMs + ms
    this.turn()
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > untilMs) break
      this.#timers.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.run()
      this.turn()
    }
    this.#nowMs = untilMs
  }

  /** Time passes while nothing runs: the process was held up. */
  stall(ms: number): void {
    this.#nowMs += ms
  }

  readonly #sink: ReportSink = new Proxy<Record<string, unknown>>(
    {},
    {
      get:
        (_, name) =>
        (...values: ReadonlyArray<unknown>) => {
          if (name === "deliver" && values[1] instanceof Uint8Array) {
            this.reports.push(["deliver", values[0], unpackValue(values[1])])
          } else this.reports.push([String(name), ...values])
        }
    }
    // Every method of the sink does the same.
  ) as unknown as ReportSink
}

/** A room of the runtime, in this process, between a test and virtual time. */
export class TestRoom<S extends AnyRoomSchema, H extends HiddenDefinition = {}> {
  readonly port = new TestPort()
  readonly schema: S
  readonly #stored: AnyRoomSchema
  readonly #receive: ReceiveFrame

  constructor(schema: S, handlers: RoomHandlers<S, H>, start: Partial<StartOrder> = {}) {
    this.schema = schema
    const definition: RoomDefinition<S, H> = defineRoom(schema, handlers)
    this.#stored = definition.stored ?? schema
    this.#receive = connect(this.port, { room: definition })
    this.order(Orders.start({ ...StartOfRoom, type: schema.type, ...start }))
    this.port.turn()
  }

  order(frame: Uint8Array): void {
    this.#receive(frame[4] ?? 0, frame.subarray(FrameHeaderBytes))
  }

  /** Takes the reports since the last call, log lines left out. */
  reports(): ReadonlyArray<Report> {
    this.port.turn()
    return this.port.reports.splice(0).filter(([name]) => name !== "log")
  }

  /** Takes the log lines since the last call, and drops the other reports. */
  logged(): ReadonlyArray<Report> {
    this.port.turn()
    return this.port.reports.splice(0).filter(([name]) => name === "log")
  }

  join(ref: number, order: Partial<JoinOrder> = {}): void {
    this.order(Orders.join(joinOf(ref, order)))
  }

  /** Joins and forgets what was reported about it. */
  joined(ref: number, order: Partial<JoinOrder> = {}): void {
    this.join(ref, order)
    this.reports()
  }

  /** A client's frame of plain values. */
  frame(ref: number, ...fields: ReadonlyArray<unknown>): void {
    this.order(Orders.data(ref, packValue(fields)))
  }

  message(ref: number, name: string, payload: object): void {
    const shape = this.schema.messages.byName.get(name)
    if (shape === undefined || shape.fields === null) throw new Error(`no message ${name}`)
    this.frame(ref, 2, shape.index, packRecord(shape.fields, payload, name))
  }

  rpc(
    ref: number,
    call: { readonly id: number; readonly name: string; readonly args: object }
  ): void {
    const shape = this.schema.rpc.client.byName.get(call.name)
    if (shape === undefined || shape.args === null) throw new Error(`no RPC ${call.name}`)
    this.frame(ref, 3, call.id, shape.index, packRecord(shape.args, call.args, call.name))
  }

  /** The room's snapshot, as the service would store it. */
  snapshot(final = false): NonNullable<StartOrder["snapshot"]> {
    this.order(Orders.takeSnapshot(99, final))
    const report = this.port.reports.find(([name]) => name === "snapshot")
    const bytes = report?.[2]
    if (!(bytes instanceof Uint8Array)) throw new Error("the room gave no snapshot")
    this.port.reports.splice(0)
    return { bytes, schema: describe(this.#stored) }
  }
}

/** Lets promises that are settled call back. */
export const settle = async (): Promise<void> => {
  for (let round = 0; round < 20; round++) await Promise.resolve()
}
