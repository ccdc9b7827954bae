import { makeRoomState } from "../../codec/RoomState.ts"
import { type Step, takeStep } from "../../codec/testing/History.ts"
import type { AnyRoomSchema } from "../../schema/RoomSchema.ts"
import { ChunkReader } from "../ChunkReader.ts"
import { ChunkWriter } from "../ChunkWriter.ts"

/** A chunk, and the states that a client would have seen. */
export interface Recorded {
  readonly chunk: Uint8Array
  readonly startMs: number
  readonly endMs: number
  /** Each state, from its moment on; the keyframe's is the first. */
  readonly states: ReadonlyArray<{
    readonly atMs: number
    readonly tick: number
    readonly full: Uint8Array
  }>
}

/** Records a history: each flush leaves 50 ms after the one before, and every third time a message with it. */
export const recorded = (schema: AnyRoomSchema, history: ReadonlyArray<Step>): Recorded => {
  const startMs = 1_790_000_000_000
  const room = makeRoomState<AnyRoomSchema>(schema)
  let atMs = startMs
  let tick = 7
  const states = [{ atMs, tick, full: room.encodeFull() }]
  const writer = new ChunkWriter({ atMs, tick, state: room.encodeFull() })
  for (const step of history) {
    takeStep(room, step)
    if (step.kind !== "flush") continue
    atMs += 50
    const delta = room.encodeDelta()
    if (atMs % 150 === 0) writer.message(atMs, Uint8Array.of(0x93, 18, 0, 0xc0))
    if (delta === null) continue
    writer.patch(atMs, delta)
    tick += 1
    states.push({ atMs, tick, full: room.encodeFull() })
  }
  return { chunk: writer.finish(atMs + 20), startMs, endMs: atMs + 20, states }
}

/** All entries of a chunk, with bytes of their own. */
export const entriesOf = (chunk: Uint8Array) => {
  const reader = new ChunkReader(chunk)
  const { keyframe } = reader
  const entries = new Array<{ kind: string; atMs: number; tick: number; bytes: Array<number> }>()
  for (let entry = reader.next(); entry !== null; entry = reader.next()) {
    entries.push({ ...entry, bytes: [...entry.bytes] })
  }
  return { keyframe: { ...keyframe, state: [...keyframe.state] }, entries }
}
