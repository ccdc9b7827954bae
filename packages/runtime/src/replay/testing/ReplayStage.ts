import { zstdDecompressSync } from "node:zlib"

import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { ChunkReader } from "@atrium/wire/replay/ChunkReader"
import { defineSchema, s, type SchemaDefinition } from "@atrium/wire/schema"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { type CallAnswer, Orders, type StartOrder } from "../../host/HostOrders.ts"
import type { Room, RoomHandlers } from "../../room/Room.ts"
import { settle, TestRoom } from "../../testing/TestRoom.ts"

const stageSchema = {
  type: "stage",
  replay: { seconds: 60 },
  singletons: { score: { red: s.u16() } },
  entities: { units: { x: s.f32(), name: s.string(1000), blob: s.bytes(65_536) } },
  messages: { boom: { at: s.u16() }, note: s.untyped() },
  rpc: { client: { ask: { returns: s.untyped() } } }
} satisfies SchemaDefinition

const declared = defineSchema(stageSchema)

/** What came of a promise of room code; `null` = nothing yet. */
export type Outcome = { readonly value: unknown } | { readonly code: string } | null

/** A room whose type declares a replay, in virtual time; the test is the service. */
export class ReplayStage {
  readonly test: TestRoom<AnyRoomSchema>
  readonly it: Room<typeof declared>
  #requestId = 0

  constructor(
    part: Partial<SchemaDefinition> = {},
    start: Partial<StartOrder> = {},
    handlers: RoomHandlers<AnyRoomSchema> = {}
  ) {
    let it: Room | null = null
    const schema: AnyRoomSchema = defineSchema({ ...stageSchema, ...part })
    const code: RoomHandlers<AnyRoomSchema> = {
      rpc: { ask: () => ({}) },
      ...handlers,
      onCreate: (room) => {
        it = room
      }
    }
    this.test = new TestRoom<AnyRoomSchema>(schema, code, { keepsReplays: true, ...start })
    // A part changes settings, and no shape that a test uses.
    this.it = it as unknown as Room<typeof declared>
    this.test.reports()
  }

  get nowMs(): number {
    return this.it.clock.nowMs()
  }

  /** Seconds of a room whose score counts them, one patch each. */
  async play(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.it.state.score.red += 1
      this.test.port.pass(1000)
      await settle()
    }
  }

  /** Follows a promise of room code. */
  follow(promise: Promise<unknown>): { outcome: Outcome } {
    const followed: { outcome: Outcome } = { outcome: null }
    promise.then(
      (value) => (followed.outcome = { value }),
      (error: unknown) => (followed.outcome = { code: String(Object(error).code) })
    )
    return followed
  }

  /** The outcome of a promise that needs nothing of the service. */
  async outcome(promise: Promise<unknown>): Promise<Outcome> {
    const followed = this.follow(promise)
    for (let round = 0; round < 50 && followed.outcome === null; round += 1) {
      await settle()
      this.test.port.turn()
    }
    return followed.outcome
  }

  /** Takes the in-room calls since the last look, by name and payload. */
  async calls(): Promise<ReadonlyArray<{ id: number; name: string; payload: unknown }>> {
    await settle()
    return this.reported("called").map(([id, request]) => {
      const { name, payload } = Object(request)
      return { id: Number(id), name: String(name), payload: unpackValue(payload) }
    })
  }

  /** Takes all reports, and gives those of one name. */
  reported(name: string): ReadonlyArray<ReadonlyArray<unknown>> {
    return this.test.reports().flatMap(([of, ...values]) => (of === name ? [values] : []))
  }

  answer(callId: number, value: unknown): void {
    const answer: CallAnswer = { _tag: "Answered", value: packValue(value) }
    this.test.order(Orders.callAnswered(callId, answer))
  }

  /** Takes a chunk as the service does; `null` = it is gone. */
  chunk(number: number, recording = false): Uint8Array | null {
    this.#requestId += 1
    this.test.order(Orders.takeChunk(this.#requestId, { number, recording }))
    const bytes = this.reported("chunk")[0]?.[1]
    if (!(bytes instanceof Uint8Array)) throw new Error("no chunk came")
    return bytes.length === 0 ? null : new Uint8Array(zstdDecompressSync(bytes))
  }

  /** Makes a clip up to the call, and takes its chunks. */
  async clip(options?: { readonly seconds?: number }) {
    const followed = this.follow(this.it.replay.clip(options))
    const [call] = await this.calls()
    if (call === undefined) return { followed, chunks: [], fromMs: 0, payload: null }
    const { chunks, fromMs } = Object(call.payload)
    const taken = Array.from(chunks, (number) => this.chunk(Number(number)))
    this.answer(call.id, { clipId: "rp_", url: "/", expiresAt: "" })
    await settle()
    return { followed, chunks: taken, fromMs: Number(fromMs), payload: call.payload }
  }
}

/** The first and the last moment of a chunk, and its ticks. */
export const spanOf = (chunk: Uint8Array | null) => {
  if (chunk === null) throw new Error("the chunk is gone")
  const reader = new ChunkReader(chunk)
  const { atMs: fromMs, tick: fromTick } = reader.keyframe
  let end = { atMs: fromMs, tick: fromTick }
  let entries = 0
  for (let entry = reader.next(); entry !== null; entry = reader.next()) {
    end = entry
    entries += 1
  }
  return { fromMs, toMs: end.atMs, fromTick, toTick: end.tick, entries: entries - 1 }
}

export const blobBytes = 65_536

/** Grows the state by so many MiB. */
export const fill = (stage: ReplayStage, megabytes: number): void => {
  for (let count = 0; count < (megabytes * 1024 * 1024) / blobBytes; count += 1) {
    stage.it.state.units.add({ blob: new Uint8Array(blobBytes) })
  }
}

/** Replaces all that `fill` has put into the state. @param content of the blob at a place */
export const rewrite = (stage: ReplayStage, content: (place: number) => Uint8Array): void => {
  for (const [place, unit] of [...stage.it.state.units].entries()) unit.blob = content(place)
}
