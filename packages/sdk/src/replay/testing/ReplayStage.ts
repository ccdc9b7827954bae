import { setImmediate } from "node:timers/promises"
import { zstdCompressSync } from "node:zlib"

import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { type Step, takeStep } from "@atrium/wire/codec/testing/History"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { ChunkWriter } from "@atrium/wire/replay/ChunkWriter"
import { packChunk } from "@atrium/wire/replay/PackChunk"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { describe } from "@atrium/wire/schema/Describe"
import { s } from "@atrium/wire/schema/FieldKinds"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { FakeTime } from "../../client/testing/FakeTime.ts"
import { openReplayBy } from "../OpenReplay.ts"
import type { Replay } from "../Replay.ts"

/** For tests: a schema with fields of each sort, and an untyped message. */
export const filmed = defineSchema({
  type: "filmed",
  entities: {
    bodies: { x: s.f32(), y: s.f32(), name: s.string(12), hand: s.list(s.u8(), 4) },
    marks: { at: s.optional(s.u16()), chips: s.map(s.enum("red", "blue"), s.u16(), 2) }
  },
  singletons: { score: { red: s.u16(), open: s.bool() } },
  messages: { said: { number: s.u32() } }
})

export const startMs = 1_790_000_000_000
/** Time between two patches. */
export const tickMs = 50
export const replayId = `rp_${"a".repeat(32)}`
export const address = `http://rooms.example/v1/replays/${replayId}`

/** The chunks of a replay, plain, and what the service says of it. */
export interface Film {
  readonly schema: AnyRoomSchema
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly facts: object
}

interface FilmOptions {
  readonly schema?: AnyRoomSchema
  /** Patches in a chunk. */
  readonly perChunk?: number
  /** How often a message is in the film at its moment. */
  readonly saidTimes?: number
}

/** Films a history: a patch every 50 ms, a chunk of four patches, and with every second patch a message before it. */
export const film = (
  history: ReadonlyArray<Step>,
  { schema = filmed, perChunk = 4, saidTimes = 1 }: FilmOptions = {}
): Film => {
  const room = makeRoomState<AnyRoomSchema>(schema)
  const chunks: Array<Uint8Array> = []
  const spans: Array<{ readonly index: number; readonly fromMs: number; readonly toMs: number }> =
    []
  let [atMs, tick, number] = [startMs, 3, 0]
  let writer = new ChunkWriter({ atMs, tick, state: room.encodeFull() })
  const cut = (): void => {
    chunks.push(writer.finish(atMs))
    const [fromMs, toMs] = [writer.startMs - startMs, atMs - startMs]
    spans.push({ index: spans.length, fromMs, toMs })
    writer = new ChunkWriter({ atMs, tick, state: room.encodeFull() })
  }
  for (const step of history) {
    takeStep(room, step)
    if (step.kind !== "flush") continue
    atMs += tickMs
    number += 1
    if (number % 2 === 0) {
      for (let time = 0; time < saidTimes; time += 1) writer.message(atMs, said(number))
    }
    const delta = room.encodeDelta()
    if (delta !== null) {
      writer.patch(atMs, delta)
      tick += 1
    }
    if (number % perChunk === 0) cut()
  }
  atMs += tickMs
  cut()
  return {
    schema,
    chunks,
    facts: {
      project: "p_1",
      roomId: "arena",
      type: schema.type,
      version: 7,
      kind: "recording",
      startedAt: new Date(startMs).toISOString(),
      expiresAt: new Date(startMs + 1e9).toISOString(),
      seconds: (atMs - startMs) / 1000,
      bytes: 1,
      running: false,
      descriptor: describe(schema),
      chunks: spans
    }
  }
}

/** A message of the filmed room: `number` is a u32. */
const said = (number: number): Uint8Array => {
  const payload = new Uint8Array(4)
  new DataView(payload.buffer).setUint32(0, number, true)
  return packValue([ServerFrame.msg, 0, payload])
}

/** As it is stored, but not compressed. */
const packed = ({ schema, chunks }: Film, index: number): Uint8Array<ArrayBuffer> => {
  const chunk = chunks[index]
  if (chunk === undefined) throw new Error(`no chunk ${index}`)
  return new Uint8Array(packChunk(schema, chunk).bytes)
}

/** As it is stored. */
export const stored = (shot: Film, index: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(zstdCompressSync(packed(shot, index)))

/** What a service answers to a request for a path behind the replay's. */
export type Answer = (path: string, init: RequestInit) => Response

/** A service that has one replay. It decompresses. */
export const answersOf =
  (shot: Film): Answer =>
  (path) => {
    if (path === "") return Response.json(shot.facts)
    const [, index] = /^\/chunks\/(\d+)$/.exec(path) ?? []
    return new Response(packed(shot, Number(index)))
  }

/** An opened replay in virtual time. */
export interface ReplayStage<S extends AnyRoomSchema> {
  readonly replay: Replay<S>
  /** Lets time pass, and everything happen that it sets off. */
  readonly flow: (ms: number) => Promise<void>
  /** The paths that were asked for. */
  readonly asked: Array<string>
  /** How long each timer that is set still waits, the shortest first. */
  readonly waitsMs: () => ReadonlyArray<number>
}

export const openStage = async (
  answer: Answer,
  url: string | URL = address
): Promise<ReplayStage<typeof filmed>> => {
  const time = new FakeTime()
  const asked: Array<string> = []
  const port = time.port({
    fetch: async (input, init) => {
      const path = String(input).slice(address.length)
      asked.push(path)
      return answer(path, init ?? {})
    }
  })
  const replay = await openReplayBy(port, url, filmed)
  const flow = async (ms: number): Promise<void> => {
    const untilMs = time.nowMs + ms
    await settled()
    for (let [waitMs] = time.waitsMs; waitMs !== undefined; [waitMs] = time.waitsMs) {
      if (time.nowMs + waitMs > untilMs) break
      time.advance(waitMs)
      await settled()
    }
    time.advance(untilMs - time.nowMs)
  }
  return { replay, flow, asked, waitsMs: () => time.waitsMs }
}

/** Ends when a body that is there has been read. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < SettleTurns; turn += 1) await setImmediate()
}
const SettleTurns = 6
