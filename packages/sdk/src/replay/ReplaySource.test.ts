import { zstdCompressSync } from "node:zlib"

import { ChunkWriter } from "@atrium/wire/replay/ChunkWriter"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import fc from "fast-check"
import { expect, test } from "vitest"

import { RequestError } from "../client/ClientErrors.ts"
import { FakeTime } from "../client/testing/FakeTime.ts"
import { failure } from "../client/testing/JoinedRoom.ts"
import { openReplay, openReplayBy } from "./OpenReplay.ts"
import {
  address,
  type Answer,
  answersOf,
  film,
  openStage,
  replayId,
  startMs,
  stored
} from "./testing/ReplayStage.ts"

const shot = film(
  Array.from({ length: 6 }, (_, at) => [
    {
      kind: "add",
      collection: "bodies",
      values: { x: at, y: 1, name: `b${at}`, hand: [at] }
    } as const,
    { kind: "set", shape: "score", field: "red", value: at, pick: 0 } as const,
    { kind: "flush" } as const
  ]).flat()
)

/** The service, but for the first chunk. */
const withFirst =
  (bytes: Uint8Array<ArrayBuffer>): Answer =>
  (path, init) =>
    path === "/chunks/0" ? new Response(bytes) : answersOf(shot)(path, init)

const failed = (error: unknown): Error =>
  error instanceof Error ? error : new Error("not an Error")

const refuses = (code: string, retryAfterMs?: number): Response =>
  Response.json({ error: { code, message: "no", retryAfterMs } }, { status: 404 })

test("[C-837] bytes that are no chunk are a clear error, and the state stays whole", async () => {
  const packed = stored(shot, 0)
  const plain = new Uint8Array(shot.chunks[0] ?? [])
  const bytes = fc.constantFrom(packed, plain).chain((chunk) =>
    fc.oneof(
      fc.nat(chunk.length - 1).map((length) => chunk.slice(0, length)),
      fc.record({ at: fc.nat(chunk.length - 1), by: fc.integer({ min: 1, max: 255 }) }).map((m) => {
        const mutant = chunk.slice()
        mutant[m.at] = (mutant[m.at] ?? 0) ^ m.by
        return mutant
      }),
      fc.uint8Array({ maxLength: 64 }).map((any) => new Uint8Array(any))
    )
  )
  let refused = 0
  await fc.assert(
    fc.asyncProperty(bytes, async (chunk) => {
      const { replay, flow } = await openStage(answersOf(shot))
      await replay.seek(250)
      const before = [replay.stateHash(), replay.tick, replay.positionMs]
      const hostile = await openStage(withFirst(chunk)).catch(failed)
      if (hostile instanceof Error) {
        expect(hostile).toBeInstanceOf(RequestError)
        expect(hostile).toMatchObject({ code: "E_PROTOCOL" })
        expect(hostile.message).toMatch(/^replay\/chunks\/0: /)
        refused += 1
      } else {
        // Its keyframe can be read. No listener sees half of a patch: the state goes back to the keyframe.
        const { replay: shown } = hostile
        const first = shown.stateHash()
        await shown.seek(199).catch((error: unknown) => {
          expect(error).toMatchObject({ code: "E_PROTOCOL" })
          expect([shown.paused, shown.positionMs, shown.stateHash()]).toEqual([true, 0, first])
          refused += 1
        })
      }
      await flow(10)
      expect([replay.stateHash(), replay.tick, replay.positionMs]).toEqual(before)
    }),
    { numRuns: 120 }
  )
  expect(refused).toBeGreaterThan(20)
})

test("[C-837] what the service says of a replay is read as hostile, too", async () => {
  const facts = Object(shot.facts)
  const other: ReadonlyArray<object | null> = [
    null,
    [],
    { ...facts, chunks: [] },
    { ...facts, chunks: [{ index: 1, fromMs: 0, toMs: 1 }] },
    { ...facts, chunks: [{ index: 0, fromMs: -1, toMs: 1 }] },
    { ...facts, chunks: [{ index: 0, fromMs: 0, toMs: 1e300 }] },
    {
      ...facts,
      chunks: Array.from({ length: 8641 }, (_, index) => ({ index, fromMs: 0, toMs: 0 }))
    },
    { ...facts, startedAt: "never" },
    { ...facts, roomId: 5 },
    { ...facts, kind: "film" },
    { ...facts, descriptor: { format: 9 } }
  ]
  for (const body of other) {
    const opened = openStage((path, init) =>
      path === "" ? Response.json(body) : answersOf(shot)(path, init)
    )
    await expect(opened).rejects.toMatchObject({ code: "E_PROTOCOL" })
  }
  await expect(openStage(() => new Response("<html>"))).rejects.toMatchObject({
    code: "E_PROTOCOL"
  })
})

test("[C-837] takes no more of a body than a replay may have, whatever it says or decompresses to", async () => {
  let pulled = 0
  const endless = (): Response =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull: (stream) => {
          pulled += 1
          stream.enqueue(new Uint8Array(2 ** 20))
        }
      })
    )
  await expect(openStage(endless)).rejects.toThrow(
    `replay: over ${ReplayLimits.watchedFactsBytes.max} bytes`
  )
  expect(pulled).toBeLessThan(8)
  pulled = 0
  const opened = openStage((path, init) => (path === "" ? answersOf(shot)(path, init) : endless()))
  await expect(opened).rejects.toThrow(`over ${ReplayLimits.replayChunkBytes.max} bytes`)
  expect(pulled).toBeLessThan(20)
  const bomb = new Uint8Array(zstdCompressSync(new Uint8Array(17 * 2 ** 20)))
  expect(bomb.length).toBeLessThan(10_000)
  await expect(openStage(withFirst(bomb))).rejects.toMatchObject({ code: "E_PROTOCOL" })
  const state = new Uint8Array(ReplayLimits.keyframeBytes.max + 1)
  const large = new ChunkWriter({ atMs: startMs, tick: 0, state }).finish(startMs)
  await expect(openStage(withFirst(new Uint8Array(large)))).rejects.toThrow(
    /^replay\/chunks\/0: a keyframe of 8388609 bytes/
  )
})

test("[C-837] holds 32 MiB of chunks at most, and reads the oldest ones again", async () => {
  const note = "x".repeat(5 * 2 ** 20)
  const notes = defineSchema({ type: "notes", messages: { said: { text: s.string(8) } } })
  const wide = film(
    Array.from({ length: 9 }, () => ({ kind: "flush" }) as const),
    { schema: notes, perChunk: 1 }
  )
  const padded = wide.chunks.map(() => {
    const writer = new ChunkWriter({ atMs: startMs, tick: 3, state: new Uint8Array(0) })
    writer.message(startMs, new TextEncoder().encode(note))
    return writer.finish(startMs)
  })
  const asked: Array<string> = []
  const port = new FakeTime().port({
    fetch: async (input) => {
      const path = String(input).slice(address.length)
      asked.push(path)
      if (path === "") return Response.json(wide.facts)
      return new Response(new Uint8Array(padded[Number(path.slice(8))] ?? []))
    }
  })
  const replay = await openReplayBy(port, address, null)
  for (const index of [0, 1, 2, 3, 4, 5]) await replay.seek(index * 50)
  await replay.seek(0)
  expect(asked.filter((path) => path === "/chunks/0")).toHaveLength(1)
  for (const index of [6, 7, 0, 1]) await replay.seek(index * 50)
  expect(asked.filter((path) => path === "/chunks/0")).toHaveLength(1)
  expect(asked.filter((path) => path === "/chunks/1")).toHaveLength(2)
})

test("[C-837] tells the code of the service, and waits for an allowance that comes soon", async () => {
  await expect(openStage(() => refuses("E_NOT_FOUND"))).rejects.toMatchObject({
    code: "E_NOT_FOUND"
  })
  await expect(openStage(() => refuses("E_RATE_LIMITED"))).rejects.toMatchObject({
    code: "E_RATE_LIMITED"
  })
  await expect(openStage(() => refuses("E_RATE_LIMITED", 30_001))).rejects.toMatchObject({
    code: "E_RATE_LIMITED"
  })
  let asks = 0
  const hasty = await openStage((path, init) => {
    if (path !== "/chunks/1") return answersOf(shot)(path, init)
    asks += 1
    return refuses("E_RATE_LIMITED", 0)
  })
  const sought = hasty.replay.seek(260).catch((error: unknown) => error)
  await hasty.flow(40_000)
  expect(await sought).toMatchObject({ code: "E_RATE_LIMITED" })
  // Thirty seconds, five times a second.
  expect(asks).toBe(151)
  const unreachable = openStage(() => {
    throw new TypeError("fetch failed")
  })
  await expect(unreachable).rejects.toMatchObject({ code: "E_UNREACHABLE" })

  let limited = 0
  const { replay, flow, asked } = await openStage((path, init) => {
    if (path !== "/chunks/1" || limited++ > 0) return answersOf(shot)(path, init)
    return refuses("E_RATE_LIMITED", 700)
  })
  replay.play()
  await flow(650)
  expect([replay.positionMs, replay.paused]).toEqual([200, false])
  await flow(100)
  expect(replay.positionMs).toBe(250)
  expect(asked.filter((path) => path === "/chunks/1")).toHaveLength(2)
})

test("[C-837] pauses where it was when a chunk does not come, and goes on from there", async () => {
  let down = true
  const { replay, flow } = await openStage((path, init) =>
    path === "/chunks/1" && down ? refuses("E_CAP_REACHED") : answersOf(shot)(path, init)
  )
  const told: Array<string> = []
  replay.onError((code) => told.push(`${code} at ${replay.positionMs}`))
  replay.play()
  await flow(1000)
  expect([told, replay.paused, replay.tick]).toEqual([["E_CAP_REACHED at 200"], true, 7])
  await expect(replay.seek(260)).rejects.toMatchObject({ code: "E_CAP_REACHED" })
  expect([replay.positionMs, replay.tick]).toEqual([200, 7])
  down = false
  replay.play()
  await flow(1000)
  expect([told, replay.tick, replay.positionMs]).toEqual([["E_CAP_REACHED at 200"], 9, 350])
})

test("[C-837] a seek to a chunk that does not come fails no later seek", async () => {
  const { replay } = await openStage((path, init) =>
    path === "/chunks/1" ? refuses("E_NOT_FOUND") : answersOf(shot)(path, init)
  )
  const seeks = [260, 50].map((atMs) => replay.seek(atMs))
  await Promise.all(seeks)
  expect([replay.positionMs, replay.state.score.red, replay.tick]).toEqual([50, 0, 4])
  await expect(replay.seek(260)).rejects.toMatchObject({ code: "E_NOT_FOUND" })
  expect(replay.positionMs).toBe(50)
  const pending = replay.seek(260)
  await replay.leave()
  await expect(pending).rejects.toMatchObject({ code: "E_LEFT" })
})

test("[C-837] waits for no allowance after it was left", async () => {
  const { replay, flow, asked, waitsMs } = await openStage((path, init) =>
    path === "/chunks/1" ? refuses("E_RATE_LIMITED", 20_000) : answersOf(shot)(path, init)
  )
  const pending = failure(replay.seek(260))
  await flow(10)
  expect(waitsMs()).toEqual([19_990])
  await replay.leave()
  expect(waitsMs()).toEqual([])
  expect(await pending).toMatchObject({ code: "E_LEFT" })
  await flow(30_000)
  expect(asked.filter((path) => path === "/chunks/1")).toHaveLength(1)
})

test("[C-837] asks that service alone, without cookies, and says no id in an error", async () => {
  const inits: Array<RequestInit> = []
  const { replay, asked } = await openStage((path, init) => {
    inits.push(init)
    return answersOf(shot)(path, init)
  }, `http://rooms.example/replay/${replayId}?t=5#x`)
  expect(asked).toEqual(["", "/chunks/0"])
  for (const init of inits) {
    expect(init).toMatchObject({ credentials: "omit", referrerPolicy: "no-referrer" })
  }
  // Node decompresses; a browser says by itself what it takes.
  expect(inits[1]?.headers).toEqual({ "accept-encoding": "zstd" })
  await replay.leave()
  expect(inits[1]?.signal?.aborted).toBe(true)
  const error = await failure(openStage(() => refuses("E_NOT_FOUND")))
  expect(String(error)).not.toContain("rp_")
  const addresses = [
    "/v1/replays/rp_1",
    `ftp://a/v1/replays/${replayId}`,
    `${address}/chunks/0`,
    ""
  ]
  for (const url of addresses) {
    const refused = await failure(openReplay(url))
    expect(String(refused)).toMatch(/not the address/)
    expect(String(refused)).not.toContain("rp_")
  }
})

test("[C-837] is refused when it lacks what the game's schema has, and read without one", async () => {
  const wider = defineSchema({ type: "filmed", entities: { bodies: { x: s.f32(), hue: s.u8() } } })
  const port = new FakeTime().port({
    fetch: async (input, init) => answersOf(shot)(String(input).slice(address.length), init ?? {})
  })
  await expect(openReplayBy(port, address, wider)).rejects.toMatchObject({
    code: "E_SCHEMA_MISMATCH",
    message: expect.stringContaining("entities.bodies.hue")
  })
  const narrow = defineSchema({ type: "filmed", entities: { bodies: { x: s.f32() } } })
  const known = await openReplayBy(port, address, narrow)
  await known.seek(300)
  expect([...known.state.bodies].map(({ x }) => x)).toEqual([0, 1, 2, 3, 4, 5])
  const any = await openReplayBy(port, address, null)
  expect(JSON.parse(JSON.stringify(any.state))).toMatchObject({ score: { red: 0 }, bodies: [] })
})
