import { s } from "@atrium/wire/schema"
import { describe, expect, it } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import type { RoomClient } from "../room/RoomClient.ts"
import { settle } from "../testing/TestRoom.ts"
import { blobBytes, fill, ReplayStage, rewrite, spanOf } from "./testing/ReplayStage.ts"

const MiB = 1024 * 1024

/** Bytes that compression cannot make smaller. */
const noise = (length: number, seed: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let state = seed
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

describe("a room that records itself", () => {
  it("[replay.seconds.default] makes a clip of its last seconds, in chunks of five", async () => {
    const stage = new ReplayStage()
    await stage.play(90)
    const { chunks, fromMs, payload } = await stage.clip()
    expect(fromMs).toBe(stage.nowMs - 60_000)
    expect(Object(payload)["ttl"]).toBe("30d")
    const spans = chunks.map(spanOf)
    expect(spans.length).toBeGreaterThanOrEqual(12)
    expect(spans.length).toBeLessThanOrEqual(14)
    for (const [index, span] of spans.entries()) {
      expect(span.toMs - span.fromMs).toBeLessThanOrEqual(5000)
      expect([span.toMs, span.toTick]).toEqual(
        index === spans.length - 1
          ? [stage.nowMs, span.toTick]
          : [spans[index + 1]?.fromMs, spans[index + 1]?.fromTick]
      )
    }
    expect(spans[0]?.fromMs).toBeLessThanOrEqual(fromMs)
    expect(spans[0]?.toMs).toBeGreaterThan(fromMs)
  })

  it("[C-826] goes on writing its chunk while clips are made of it", async () => {
    const stage = new ReplayStage()
    await stage.play(2)
    expect((await stage.clip()).chunks).toHaveLength(1)
    await stage.play(2)
    const { chunks } = await stage.clip()
    expect(chunks.map(spanOf)).toMatchObject([{ toMs: stage.nowMs, entries: 4 }])
  })

  it("[C-821] shows nothing that a stranger in the room would not have seen", async () => {
    const stage = new ReplayStage(
      { player: { note: s.string(64) } },
      {},
      {
        rpc: { ask: () => ({ answer: "SECRET answer" }) },
        onAuth: (_room, { options }) => options !== null
      }
    )
    const { it: room, test } = stage
    test.joined(1, { options: "SECRET options", resumeHash: "SECRET", nextResumeHash: "SECRET" })
    test.joined(2, { options: "o", name: "SECRET name", playerId: "SECRET player" })
    const [first, second] = [...room.clients]
    if (first === undefined || second === undefined) throw new Error("nobody joined")
    Reflect.set(first.player, "note", "SECRET field")
    room.send(first, "note", "SECRET message")
    room.broadcast("note", "SECRET for some", { except: first })
    room.broadcast("note", "public word")
    room.log.info("SECRET line")
    void room.kv(first).set("SECRET key", "SECRET value")
    test.rpc(1, { id: 1, name: "ask", args: {} })
    room.state.units.add({ name: "public unit" })
    await stage.play(12)
    await stage.calls()
    const text = (await stage.clip()).chunks
      .map((chunk) => Buffer.from(chunk ?? []).toString("latin1"))
      .join("")
    expect(text).toContain("public word")
    expect(text).toContain("public unit")
    expect(text).not.toContain("SECRET")
  })

  it("[C-821] has what a client sees whom no rule lets see anything, whoever is there", async () => {
    const stage = new ReplayStage(
      {},
      {},
      {
        hidden: { singletons: { deck: { top: s.string(32) } } },
        visible: {
          units: {
            visibleTo: (client: RoomClient, unit: object) =>
              String(Object(unit).name) !== `SECRET of ${client.id}`,
            fields: { blob: { visibleTo: () => true } }
          }
        }
      }
    )
    const { test, it: room } = stage
    test.join(1)
    Reflect.set(Object(room).hidden.deck, "top", "SECRET card")
    const unit = room.state.units.add({ name: "SECRET unit", blob: Buffer.from("SECRET blob") })
    await stage.play(7)
    unit.name = "SECRET later"
    await stage.play(7)
    room.broadcast("note", "public word")
    const { chunks, spans } = await stage.clip().then(({ chunks: taken }) => ({
      chunks: taken.map((chunk) => Buffer.from(chunk ?? []).toString("latin1")),
      spans: taken.map(spanOf)
    }))
    expect(chunks.join("")).toContain("public word")
    expect(chunks.join("")).not.toContain("SECRET")
    expect(chunks.length).toBeGreaterThan(2)
    for (const [index, { fromTick }] of spans.entries()) {
      if (index > 0) expect(fromTick).toBe(spans[index - 1]?.toTick)
    }
    // The score is there: a patch each second.
    expect(spans.at(-1)?.toTick).toBeGreaterThanOrEqual(13)
  })

  it("[replay.seconds.drop-oldest] forgets what is older than its seconds", async () => {
    const stage = new ReplayStage({ replay: { seconds: 10 } })
    await stage.play(61)
    const { chunks, fromMs } = await stage.clip()
    expect(fromMs).toBe(stage.nowMs - 10_000)
    expect(spanOf(chunks[0] ?? null).fromMs).toBeGreaterThan(stage.nowMs - 16_000)
  })

  it("[replay.memory] holds 8 MiB of compressed footage, and drops the oldest early", async () => {
    const stage = new ReplayStage()
    fill(stage, 1)
    for (let second = 1; second <= 14; second += 1) {
      rewrite(stage, (place) => noise(blobBytes, 100 * second + place))
      await stage.play(1)
    }
    const { chunks } = await stage.clip()
    const bytes = chunks.reduce((sum, chunk) => sum + (chunk?.length ?? 0), 0)
    expect(bytes).toBeLessThanOrEqual(8 * MiB)
    expect(bytes).toBeGreaterThan(5 * MiB)
    expect(spanOf(chunks[0] ?? null).fromMs).toBeGreaterThan(stage.nowMs - 10_000)
  })

  it("[C-828] holds less while its server is near its memory limit", async () => {
    const stage = new ReplayStage()
    fill(stage, 1 / 4)
    for (let second = 1; second <= 12; second += 1) {
      rewrite(stage, (place) => noise(blobBytes, 100 * second + place))
      await stage.play(1)
    }
    stage.test.order(Orders.ringBytes(MiB))
    const { chunks } = await stage.clip()
    const bytes = chunks.reduce((sum, chunk) => sum + (chunk?.length ?? 0), 0)
    expect(bytes).toBeLessThanOrEqual(MiB)
    expect(bytes).toBeGreaterThan(0)
  })

  it("[C-827] costs nothing without a declaration, or with a service that keeps no replays", async () => {
    for (const stage of [
      new ReplayStage({ replay: { seconds: 60 } }, { keepsReplays: false }),
      new ReplayStage({ replay: undefined as never })
    ]) {
      const { replay } = stage.it
      const calls = [
        replay.clip(),
        replay.record(),
        replay.stop(),
        replay.excerpt({ fromMs: 0, toMs: 0 })
      ]
      for (const call of calls) expect(await stage.outcome(call)).toEqual({ code: "E_REPLAY_OFF" })
      stage.it.state.score.red += 1
      await stage.play(1)
      // No delta is made for a room that nobody watches.
      stage.test.join(1)
      expect(stage.reported("joined")[0]?.[1]).toMatchObject({ tick: 0 })
    }
  })
})

describe("a clip", () => {
  it.each([
    [{ seconds: 0 }],
    [{ seconds: 61 }],
    [{ seconds: 1.5 }],
    [{ seconds: Number.NaN }],
    [{ seconds: "10" as never }],
    [{ ttl: "0m" }],
    [{ ttl: "3651d" }],
    [{ ttl: "1 h" }]
  ])("[D-44] [D-09] is refused for %j, and spends nothing", async (options) => {
    const stage = new ReplayStage()
    await stage.play(1)
    expect(await stage.outcome(stage.it.replay.clip(options))).toEqual({ code: "E_BAD_REQUEST" })
    expect((await stage.clip()).chunks).toHaveLength(1)
  })

  it("[replay.clip.rate] is made once a second", async () => {
    const stage = new ReplayStage()
    await stage.play(1)
    const first = await stage.clip({ seconds: 60 })
    expect(first.followed.outcome).toMatchObject({ value: { clipId: "rp_" } })
    expect((await stage.clip()).followed.outcome).toEqual({ code: "E_CLIP_COOLDOWN" })
    stage.test.port.pass(999)
    expect((await stage.clip()).followed.outcome).toEqual({ code: "E_CLIP_COOLDOWN" })
    stage.test.port.pass(1)
    expect((await stage.clip()).followed.outcome).toMatchObject({ value: { clipId: "rp_" } })
  })

  it("[C-826] waits for no more than two before it", async () => {
    const stage = new ReplayStage()
    for (let clip = 0; clip < 2; clip += 1) {
      await stage.play(1)
      void stage.follow(stage.it.replay.clip())
      await stage.calls()
    }
    await stage.play(1)
    await expect(stage.it.replay.clip()).rejects.toMatchObject({
      code: "E_CLIP_COOLDOWN",
      message: expect.stringContaining("2 clips are still being stored")
    })
  })

  it("[replay.memory.disarmed] is refused while the state exceeds the ring, and not when it fits again", async () => {
    const stage = new ReplayStage()
    fill(stage, 7)
    await stage.play(6)
    expect((await stage.clip()).chunks.length).toBeGreaterThan(0)
    fill(stage, 2)
    await stage.play(6)
    expect(await stage.outcome(stage.it.replay.clip())).toEqual({ code: "E_CLIP_DISARMED" })
    const lines = stage.test.logged()
    expect(lines.filter(([, , line]) => String(line).includes("replay:"))).toHaveLength(1)
    stage.it.state.units.clear()
    await stage.play(6)
    const { chunks } = await stage.clip()
    expect(spanOf(chunks[0] ?? null).fromMs).toBeGreaterThanOrEqual(stage.nowMs - 6000)
  })

  it("[replay.clip.size] is refused over 16 MiB before it is compressed", async () => {
    const stage = new ReplayStage()
    fill(stage, 1)
    for (let second = 1; second <= 20; second += 1) {
      rewrite(stage, () => new Uint8Array(blobBytes).fill(second))
      await stage.play(1)
    }
    expect((await stage.clip({ seconds: 13 })).followed.outcome).toMatchObject({ value: {} })
    await stage.play(1)
    expect((await stage.clip()).followed.outcome).toEqual({ code: "E_CLIP_TOO_LARGE" })
  })

  it("[C-829] is made for others by the same rules", async () => {
    const stage = new ReplayStage()
    await stage.play(1)
    stage.test.order(Orders.makeClip(7, { seconds: 5 }))
    const [call] = await stage.calls()
    expect(call).toMatchObject({ name: "replay.clip", payload: { ttl: "30d" } })
    stage.answer(call?.id ?? 0, { clipId: "rp_1", url: "/replay/rp_1", expiresAt: "then" })
    await settle()
    const clip = { clipId: "rp_1", url: "/replay/rp_1", expiresAt: "then" }
    expect(stage.reported("clipMade")).toEqual([[7, { _tag: "Made", clip }]])
    stage.test.order(Orders.makeClip(8, {}))
    await settle()
    const refusal = { _tag: "Refused", code: "E_CLIP_COOLDOWN" }
    expect(stage.reported("clipMade")).toMatchObject([[8, refusal]])
  })
})

describe("a recording", () => {
  const recording = async (stage: ReplayStage): Promise<void> => {
    void stage.follow(stage.it.replay.record({ ttl: "1h" }))
    const [call] = await stage.calls()
    expect(call).toMatchObject({ name: "replay.record", payload: { ttl: "1h" } })
    stage.answer(call?.id ?? 0, { replayId: "rp_r", url: "/replay/rp_r" })
    await settle()
  }

  it("[C-830] begins with the tick of its call, and announces each chunk until it is stopped", async () => {
    const stage = new ReplayStage()
    await stage.play(3)
    const beganAtMs = stage.nowMs
    await recording(stage)
    await stage.play(11)
    const ready = stage.reported("chunkReady").map(([chunk]) => Object(chunk))
    expect(ready.map(({ last }) => last)).toEqual([false, false])
    expect(ready.map(({ number }) => spanOf(stage.chunk(number, true)))).toMatchObject([
      { fromMs: beganAtMs, toMs: beganAtMs + 5000 },
      { fromMs: beganAtMs + 5000, toMs: beganAtMs + 10_000 }
    ])
    const stopped = stage.follow(stage.it.replay.stop())
    await settle()
    const reports = stage.test.reports()
    expect(reports.map(([name]) => name).filter((name) => name !== "changed")).toEqual([
      "chunkReady",
      "called"
    ])
    stage.answer(Number(reports.at(-1)?.[1]), { replayId: "rp_r", bytes: 5, expiresAt: "then" })
    await settle()
    expect(stopped.outcome).toEqual({ value: { replayId: "rp_r", bytes: 5, expiresAt: "then" } })
    await stage.play(11)
    expect(stage.reported("chunkReady")).toEqual([])
  })

  it("[C-830] keeps a chunk that a clip has taken until the recording has it, too", async () => {
    const stage = new ReplayStage()
    await recording(stage)
    await stage.play(6)
    const [[chunk] = []] = stage.reported("chunkReady")
    const number = Number(Object(chunk).number)
    await stage.clip()
    expect(stage.chunk(number, true)).not.toBeNull()
    expect(stage.chunk(number, true)).toBeNull()
  })

  it("[replay.chunks.waiting] ends when the service says so, and clips are still made", async () => {
    const stage = new ReplayStage()
    await recording(stage)
    await stage.play(11)
    const waiting = stage.reported("chunkReady").map(([chunk]) => Number(Object(chunk).number))
    stage.test.order(Orders.recordingEnded("rp_other", "no"))
    stage.test.order(Orders.recordingEnded("rp_r", "the store cannot follow"))
    expect(stage.test.logged()).toHaveLength(1)
    expect(waiting.map((number) => stage.chunk(number, true))).toEqual([null, null])
    await stage.play(6)
    expect(stage.reported("chunkReady")).toEqual([])
    expect((await stage.clip()).chunks.length).toBeGreaterThan(1)
  })

  it("[C-830] announces what happened last within 5 s, and a chunk every 30 s while nothing does", async () => {
    const stage = new ReplayStage()
    await recording(stage)
    await stage.play(1)
    const spans: Array<number> = []
    for (let second = 0; second < 70; second += 1) {
      stage.test.port.pass(1000)
      await settle()
      for (const [chunk] of stage.reported("chunkReady")) {
        const { fromMs, toMs } = spanOf(stage.chunk(Number(Object(chunk).number), true))
        spans.push(toMs - fromMs)
      }
    }
    expect(spans).toEqual([5000, 30_000, 30_000])
  })

  it("[C-831] goes on in the next process, from its first state on", async () => {
    const stage = new ReplayStage({}, { recording: "rp_r" })
    await stage.play(6)
    expect(stage.reported("chunkReady")).toHaveLength(1)
  })

  it("[C-831] hands over what it has when the room's process ends", async () => {
    const stage = new ReplayStage()
    await recording(stage)
    await stage.play(2)
    stage.test.order(Orders.takeSnapshot(1, true))
    await settle()
    const [[chunk] = [], ...more] = stage.reported("chunkReady")
    const { number, last } = Object(chunk)
    expect([last, more]).toEqual([true, []])
    expect(spanOf(stage.chunk(Number(number), true)).toMs).toBe(stage.nowMs)
  })

  it("[replay.memory.state-exceeds-ring] is lost when the state exceeds the ring", async () => {
    const stage = new ReplayStage()
    await recording(stage)
    fill(stage, 9)
    await stage.play(1)
    expect(stage.reported("recordingLost")).toHaveLength(1)
    await stage.play(1)
    expect(stage.reported("recordingLost")).toEqual([])
  })
})
