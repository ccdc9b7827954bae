import { zstdCompressSync, zstdDecompressSync } from "node:zlib"

import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { makeStateView } from "@atrium/wire/codec/StateView"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { ChunkReader } from "@atrium/wire/replay/ChunkReader"
import { ChunkWriter } from "@atrium/wire/replay/ChunkWriter"
import { cutChunk } from "@atrium/wire/replay/CutChunk"
import { unpackChunk } from "@atrium/wire/replay/UnpackChunk"
import { defineSchema, describe as descriptorOf, s } from "@atrium/wire/schema"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import type { RoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, startOf, TestListener } from "./TestProcesses.ts"

/** A short frame that says 256 MiB of zeros. */
const bomb = zstdCompressSync(new Uint8Array(256 * 1024 ** 2))

const Source = `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "arena",
  replay: { seconds: 60 },
  singletons: { score: { red: s.u16() } },
  messages: { add: { by: s.u16() } }
})

export const Arena = defineRoom(schema, {
  onMessage: { add: (room, _, { by }) => void (room.state.score.red += by) }
})
`

/**
 * What every layer of `RoomProcesses` does with the footage of a room.
 * @param name of the layer, as the report shows it
 */
export const roomFootageContract = (name: string, make: () => Promise<RoomProcesses>): void =>
  void describe(`the footage of a room ${name}`, () => {
    let bundle: Uint8Array
    let processes: RoomProcesses

    beforeAll(async () => {
      bundle = await bundleOf(Source)
      processes = await make()
    })

    afterAll(() => processes.close())

    const open = async () => {
      const heard = new TestListener()
      // The listener of the footage is told like the one of the room.
      const listener = Object.assign(Object.create(heard.listener), { footage: heard.listener })
      const room = processes.take(listener, { memoryMiB: 64 })
      room.start(startOf(bundle, { keepsReplays: true }))
      await heard.got("ready")
      room.join(joinOf(1))
      await heard.got("joined")
      return { room, heard }
    }

    test("[C-825] is compressed in its process, and taken chunk by chunk", async () => {
      const { room, heard } = await open()
      room.data(1, packValue([2, 0, new Uint8Array([5, 0])]))
      await heard.got("deliver")
      room.footage?.makeClip(7, { seconds: 10 })
      const [, callId, call] = await heard.got("called")
      const { name: called, payload } = Object(call)
      const { chunks } = Object(unpackValue(payload))
      expect([called, chunks]).toEqual(["replay.clip", [expect.any(Number)]])
      room.footage?.takeChunk(1, { number: chunks[0], recording: false })
      const [, id, bytes] = await heard.got("chunk")
      if (!(bytes instanceof Uint8Array)) throw new Error("no bytes")
      const reader = new ChunkReader(zstdDecompressSync(bytes))
      expect([id, reader.next()]).toMatchObject([1, { kind: "patch", tick: 1 }])
      const clip = { clipId: "rp_1", url: "/replay/rp_1", expiresAt: "then" }
      room.callAnswered(Number(callId), { _tag: "Answered", value: packValue(clip) })
      expect(await heard.got("clipMade")).toEqual(["clipMade", 7, { _tag: "Made", clip }])
      room.kill("stopped")
      await heard.exit()
    })

    test("[C-833] is read, cut and packed before it is stored", async () => {
      const chunk = footage()
      const job = { schema, bytes: zstdCompressSync(chunk), fromMs: 3000 }
      const answer = await processes.pack(job)
      if (answer._tag === "Refused") throw new Error(answer.why)
      const { bytes, ...facts } = answer.chunk
      const plain = unpackChunk(zstdDecompressSync(bytes))
      expect(plain).toEqual(cutChunk(chunk, 3000, makeStateView(arena)))
      const ticks = { fromTick: 3, toTick: 5 }
      expect(facts).toEqual({ fromMs: 3000, toMs: 6000, ...ticks, plainBytes: plain.length })
    })

    test.each([
      ["no zstd", Uint8Array.of(1, 2, 3)],
      ["no chunk", zstdCompressSync(Uint8Array.of(9))],
      ["a chunk that is cut off", zstdCompressSync(footage().slice(0, -3))],
      ["a patch that does not fit", zstdCompressSync(footage(Uint8Array.of(99)))],
      ["a bomb of 256 MiB", bomb]
    ])("[C-833] is not stored when it is %s, and the next chunk is", async (_, bytes) => {
      const pack = (what: Uint8Array) => processes.pack({ schema, bytes: what, fromMs: null })
      const answers = await Promise.all([pack(bytes), pack(zstdCompressSync(footage()))])
      expect(answers).toMatchObject([{ _tag: "Refused" }, { _tag: "Packed" }])
    })
  })

const arena = defineSchema({ type: "arena", singletons: { score: { red: s.u16() } } })
const schema = descriptorOf(arena)

/** Five seconds of a score that counts them. @param last a further patch */
function footage(last?: Uint8Array): Uint8Array {
  const room = makeRoomState(arena)
  const writer = new ChunkWriter({ atMs: 1000, tick: 1, state: room.encodeFull() })
  for (let second = 2; second <= 5; second += 1) {
    room.state.score.red = second
    const delta = room.encodeDelta()
    if (delta !== null) writer.patch(1000 * second, delta)
  }
  if (last !== undefined) writer.patch(6000, last)
  return writer.finish(6000)
}
