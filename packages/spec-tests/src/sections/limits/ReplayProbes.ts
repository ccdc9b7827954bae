import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import { isRefusedAs, isTaken } from "../../families/Outcome.ts"
import { chunkWithinMs, type ReplayStage, tried, withReplays } from "../../trial/ReplayStage.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"
import { dayMs, hourMs, mib, minuteMs, secondMs } from "../Units.ts"
import { usedOf } from "./MeteredUse.ts"
import { type ProbeMaker, sizedReplay, timedReplay } from "./ReplayChecks.ts"

const badRequest = { code: "E_BAD_REQUEST" }

/** How far two moments may be apart: the room and the service each look at a clock. */
const near = (what: string, actualMs: number, expectedMs: number): void =>
  holds(
    `${what}, within a second`,
    Math.abs(actualMs - expectedMs) <= secondMs,
    actualMs - expectedMs
  )

export const recordsSeconds: ProbeMaker = () =>
  timedReplay("a clip of a room that has played 90 s has the last 60 s", async (stage, trial) => {
    const seconds = Number(rowOf("statement", "replay.seconds.default").is?.["seconds"])
    const client = await stage.client("plays")
    await stage.play(client, 90 * secondMs)
    const nowMs = await trial.control.nowMs()
    const clip = await stage.read((await stage.clip(client)).clipId)
    near("its beginning", clip.startedAtMs, nowMs - seconds * secondMs)
    near("its length", clip.seconds * secondMs, seconds * secondMs)
  })

export const dropsOldest: ProbeMaker = () =>
  timedReplay(
    "a room that records 60 s has lost its first second after 61 s",
    async (stage, trial) => {
      const seconds = Number(rowOf("statement", "replay.seconds.default").is?.["seconds"])
      const client = await stage.client("plays")
      const beginMs = await trial.control.nowMs()
      await stage.play(client, (seconds - 1) * secondMs)
      const early = await stage.read((await stage.clip(client)).clipId)
      near("the beginning of a clip in time", early.startedAtMs, beginMs)
      await stage.play(client, 2 * secondMs)
      const late = await stage.read((await stage.clip(client)).clipId)
      holds(
        "the first second is gone",
        late.startedAtMs >= beginMs + secondMs,
        late.startedAtMs - beginMs
      )
      await stage.play(client, 20 * secondMs)
      const first = { fromMs: -81 * secondMs, toMs: -80 * secondMs }
      const got = await tried(client, "excerpt", first)
      isRefusedAs(trial, "an excerpt of the first second", { got, outcome: badRequest })
    }
  )

export const ringBytes: ProbeMaker = () =>
  sizedReplay(
    "a room keeps 5 MB of its footage; of 14 MB it keeps the last, 8 MB at most",
    async (stage) => {
      const { accept } = rowOf("boundary", "replay.memory")
      const calm = await stage.client("calm")
      await stage.flood(calm, 5 * mib, true)
      const whole = await stage.read((await stage.clip(calm)).clipId)
      holds("all of it, at three quarters", whole.bytes >= 3.5 * mib, whole.bytes)
      await calm.leave()
      const busy = await stage.client("busy")
      await stage.flood(busy, 14 * mib, true)
      const some = await stage.read((await stage.clip(busy)).clipId)
      holds("8 MB at most", some.bytes <= accept, some.bytes)
      holds("and not much less", some.bytes >= (accept * 5) / 8, some.bytes)
    }
  )

/** A room whose state is too large for the ring. */
const overgrown = async (stage: ReplayStage, client: RoomSocket): Promise<void> => {
  await stage.grow(client, rowOf("boundary", "replay.memory").accept + mib)
  // A tick, which settles what the call has changed.
  await client.call("add", { by: 1 })
}

export const stateExceedsRing: Probe = sizedReplay(
  "a recording stops when the state exceeds the ring",
  async (stage, trial) => {
    const client = await stage.client("grows")
    const replayId = await stage.record(client)
    // While nothing changes, a recording may wait longer for its first chunk.
    await client.call("add", { by: 1 })
    await stage.stored(replayId, 1)
    await overgrown(stage, client)
    // The next keyframe is that of the next chunk.
    await trial.until(
      "a change after five seconds",
      async () => {
        await client.call("add", { by: 1 })
        return (await stage.read(replayId)).running ? null : true
      },
      chunkWithinMs
    )
    same("another one", (await tried(client, "record")).taken, false)
  }
)

export const disarmed: Probe = sizedReplay(
  "a clip of a room of 7 MB is made; over 8 MB it is refused, and the room plays on",
  async (stage, trial) => {
    const { outcome } = rowOf("error", "replay.memory.disarmed")
    const client = await stage.client("grows")
    await stage.grow(client, 6 * mib)
    isTaken("a clip before", await tried(client, "clip"))
    await stage.grow(client, 3 * mib)
    const got = await trial.until("a clip that is refused for it", async () => {
      await client.call("add", { by: 1 })
      const now = await tried(client, "clip", { seconds: 1 })
      return !now.taken && now.refused.code !== "E_CLIP_COOLDOWN" ? now : null
    })
    isRefusedAs(trial, "a clip past it", { got, outcome })
    await client.call("add", { by: 1 })
  }
)

export const clipRate: ProbeMaker = () =>
  timedReplay("a room makes one clip a second; another room has its own", async (stage, trial) => {
    const { outcome } = rowOf("bucket", "replay.clip.rate")
    const [one, other] = [await stage.client("one"), await stage.client("other")]
    await stage.play(one, 2 * secondMs)
    isTaken("the first", await tried(one, "clip"))
    isRefusedAs(trial, "the second", { got: await tried(one, "clip"), outcome })
    isTaken("that of another room", await tried(other, "clip"))
    await trial.control.advance(secondMs - 1)
    isRefusedAs(trial, "a millisecond early", { got: await tried(one, "clip"), outcome })
    await trial.control.advance(1)
    isTaken("a second later", await tried(one, "clip"))
  })

export const clipSize: ProbeMaker = () =>
  sizedReplay("a clip of 15 MB is made; one of 17 MB is refused", async (stage, trial) => {
    const { accept, outcome } = rowOf("boundary", "replay.clip.size")
    const client = await stage.client("talks")
    await stage.flood(client, accept - mib)
    isTaken("under it", await tried(client, "clip"))
    await stage.flood(client, 2 * mib)
    const got = await trial.until("a second clip", async () => {
      const now = await tried(client, "clip")
      return !now.taken && now.refused.code === "E_CLIP_COOLDOWN" ? null : now
    })
    isRefusedAs(trial, "over it", { got, outcome })
  })

export const ttlDefault: ProbeMaker = () =>
  timedReplay(
    "the link of a clip works for 30 days, and no longer than a minute more",
    async (stage, trial) => {
      const forMs = Number(rowOf("keep", "replay.ttl.default").forMs)
      const client = await stage.client("plays")
      const { clipId, expiresAtMs } = await stage.clip(client)
      same("its end", expiresAtMs, (await trial.control.nowMs()) + forMs)
      await client.leave()
      await trial.control.advance(forMs - hourMs)
      same("an hour before its end", await stage.isThere(clipId), true)
      await trial.control.advance(hourMs + minuteMs)
      same("a minute after it", await stage.isThere(clipId), false)
    }
  )

export const graceMinute: ProbeMaker = () =>
  timedReplay(
    "a clip of 1m is there a second before its end, and gone a minute after",
    async (stage, trial) => {
      const graceMs = Number(rowOf("statement", "replay.ttl.grace-minute").is?.["graceMs"])
      const client = await stage.client("plays")
      const { clipId } = await stage.clip(client, { ttl: "1m" })
      await trial.control.advance(minuteMs - secondMs)
      const { status, headers } = await stage.get(clipId)
      same("before its end", status, 200)
      const [, maxAge = "0"] = /max-age=(\d+)/.exec(headers["cache-control"] ?? "") ?? []
      holds("a browser may show it a minute at most", Number(maxAge) * secondMs <= graceMs, maxAge)
      await trial.control.advance(secondMs + graceMs)
      same("a minute after its end", await stage.isThere(clipId), false)
      same("and its chunks", (await stage.chunk(clipId)).status, 404)
    }
  )

export const fixedWhenSaved: ProbeMaker = () =>
  timedReplay("a clip keeps its lifetime when a later version says less", async (stage, trial) => {
    const client = await stage.client("plays")
    const old = await stage.clip(client)
    await client.leave()
    await stage.rooms.deploy("next")
    const later = await stage.client("later")
    const fresh = await stage.clip(later)
    await later.leave()
    same("the end of a new one", fresh.expiresAtMs, (await trial.control.nowMs()) + hourMs)
    same("that of the old one", (await stage.read(old.clipId)).expiresAtMs, old.expiresAtMs)
    await trial.control.advance(dayMs)
    same("the new one a day later", await stage.isThere(fresh.clipId), false)
    same("the old one", await stage.isThere(old.clipId), true)
  })

export const recordingSize: ProbeMaker = () =>
  sizedReplay(
    "a recording goes on to 256 MB, and stops there; clips are made",
    async (stage, trial) => {
      const { accept } = rowOf("boundary", "replay.recording.size")
      const first = await stage.client("long")
      const replayId = await stage.record(first)
      await first.leave()
      await stage.rooms.asleep("long")
      const before = await stage.stored(replayId, 1)
      await trial.control.recordedBytes(stage.rooms.project.id, accept - mib)
      const second = await stage.client("long")
      await second.call("add", { by: 1 })
      await second.leave()
      await stage.rooms.asleep("long")
      const under = await stage.stored(replayId, before.chunks + 1)
      same("under it, it runs", under.running, true)
      await trial.control.recordedBytes(stage.rooms.project.id, accept)
      const third = await stage.client("long")
      await third.call("add", { by: 1 })
      await trial.until(
        "the recording is over",
        async () => {
          await third.call("add", { by: 1 })
          return (await stage.read(replayId)).running ? null : true
        },
        chunkWithinMs
      )
      same("no byte more", (await stage.read(replayId)).bytes, accept)
      isTaken("a clip", await tried(third, "clip"))
    }
  )

/** So long the store takes nothing, while the room plays in real time: held time waits for the store. */
const stalled = async (
  trial: Trial,
  { client, ms }: { readonly client: RoomSocket; readonly ms: number }
): Promise<void> => {
  await trial.control.stall(true)
  try {
    for (const began = performance.now(); performance.now() - began < ms;) {
      await client.call("add", { by: 1 })
      await trial.pause(250)
    }
  } finally {
    await trial.control.stall(false)
  }
}

export const chunksWaiting: Probe = {
  title: "two chunks may wait for the store; with the third the recording stops",
  alone: true,
  needs: ["storage"],
  timeoutMs: 120_000,
  run: withReplays(async (stage, trial) => {
    const client = await stage.client("waits")
    const replayId = await stage.record(client)
    /** A chunk that has just been stored: the next one follows five seconds later. */
    const another = async (chunks: number): Promise<number> => {
      const found = await trial.until(
        `a recording of ${chunks} chunks`,
        async () => {
          await client.call("add", { by: 1 })
          const { status } = await stage.get(replayId)
          const read = status === 404 ? null : await stage.read(replayId)
          return read !== null && read.chunks >= chunks ? read : null
        },
        chunkWithinMs
      )
      same("whether it runs", found.running, true)
      return found.chunks
    }
    // The first chunk waits for the program that packs it.
    const before = await another(2)
    await stalled(trial, { client, ms: 11 * secondMs })
    await another((await another(before + 2)) + 1)
    await stalled(trial, { client, ms: 17 * secondMs })
    await stage.over(replayId)
    isTaken("a clip", await tried(client, "clip"))
  })
}

export const ttlFromFirstChunk: ProbeMaker = () =>
  timedReplay(
    "a recording of 2m is gone two minutes after its first chunk, though it runs",
    async (stage, trial) => {
      const ttlMs = 2 * minuteMs
      const client = await stage.client("long")
      const replayId = await stage.record(client, { ttl: "2m" })
      await stage.play(client, 10 * secondMs)
      const { expiresAtMs } = await stage.stored(replayId, 1)
      const firstMs = expiresAtMs - ttlMs
      const nowMs = await trial.control.nowMs()
      holds(
        "it counts from the first chunk",
        firstMs <= nowMs && firstMs > nowMs - 10_001,
        nowMs - firstMs
      )
      await stage.play(client, 90 * secondMs)
      same("its end later on", (await stage.read(replayId)).expiresAtMs, expiresAtMs)
      await stage.play(client, 35 * secondMs)
      same("past its end", await stage.isThere(replayId), false)
    }
  )

/** Held time passes in which what is used is counted. */
const counting = (trial: Trial): Promise<number> => trial.control.advance(10 * minuteMs)

export const billed: ProbeMaker = () =>
  timedReplay(
    "a clip counts as storage while it is kept, and as data out when it is watched",
    async (stage, trial) => {
      const { project } = stage.rooms
      const client = await stage.client("plays")
      await stage.flood(client, mib)
      const { clipId } = await stage.clip(client)
      await client.leave()
      await counting(trial)
      const { bytes } = await stage.read(clipId)
      holds("it is compressed", bytes < mib / 2, bytes)
      await counting(trial)
      const watchedBefore = await usedOf(trial, project, "dataOutBytes")
      const chunk = await stage.chunk(clipId, { "accept-encoding": "zstd" })
      same("a chunk", chunk.status, 200)
      await counting(trial)
      const watched = (await usedOf(trial, project, "dataOutBytes")) - watchedBefore
      same("data out by a view", watched, chunk.bytes.length)
      const kept = await usedOf(trial, project, "storageBytes")
      same(
        "its removal",
        (await project.ask(`/replays/${clipId}`, { method: "DELETE" })).status,
        200
      )
      await counting(trial)
      same("storage that it took", kept - (await usedOf(trial, project, "storageBytes")), bytes)
    }
  )
