import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { type ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { DayMs, MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import type { NewChunk, NewReplay, Recorder } from "./ReplayRows.ts"
import { ReplayStore } from "./ReplayStore.ts"

const idOf = (name: string): string => `rp_${name.padEnd(32, "0")}`

const replayOf = (projectId: ProjectId, name: string, ttlMs = DayMs): NewReplay => ({
  replayId: idOf(name),
  key: { projectId, roomId: RoomId.make("arena") },
  type: "arena",
  version: 3,
  ttlMs
})

const recorderOf = (
  projectId: ProjectId,
  name: string,
  more: Partial<Recorder> = {}
): Recorder => ({
  ...replayOf(projectId, name),
  epoch: 7,
  begun: false,
  ...more
})

const chunkOf = (second: number, bytes = [second]): NewChunk => ({
  bytes: Uint8Array.from(bytes),
  fromMs: second * SecondMs,
  toMs: (second + 5) * SecondMs,
  fromTick: second,
  toTick: second + 1,
  plainBytes: 100
})

/**
 * The behaviour of every layer of `ReplayStore`.
 * @param name of the layer, as the report shows it
 */
export const replayStoreContract = (
  name: string,
  stores: Layer.Layer<ObjectStore | ProjectStore | ReplayStore | TestTables, unknown>
): void =>
  layer(stores)(`replays ${name}`, (it) => {
    it.effect("[C-834] a clip is there with all its chunks, until it expires", () =>
      Effect.gen(function* () {
        const replays = yield* ReplayStore
        const projectId = yield* newProject
        const clip = replayOf(projectId, "clip", MinuteMs)
        const row = yield* replays.add(clip, [chunkOf(10, [1, 2]), chunkOf(15, [3])])
        expect(row).toMatchObject({
          kind: "clip",
          startsAtMs: 10_000,
          endsAtMs: 20_000,
          bytes: 3,
          chunks: 2,
          running: false
        })
        const found = Option.getOrThrow(yield* replays.find(clip.replayId))
        expect(found).toEqual(row)
        const chunks = yield* replays.chunks(found)
        expect(chunks).toMatchObject([
          { index: 0, fromMs: 10_000, toMs: 15_000, fromTick: 10, toTick: 11, bytes: 2 },
          { index: 1, fromMs: 15_000, toMs: 20_000, fromTick: 15, toTick: 16, bytes: 1 }
        ])
        expect(chunks[0]?.hash).not.toBe(chunks[1]?.hash)
        expect(yield* replays.chunk(found, 1)).toEqual(Option.fromNullishOr(chunks[1]))
        expect(yield* replays.chunk(found, 2)).toEqual(Option.none())
        expect(yield* replays.list(projectId)).toEqual([row])
        yield* TestClock.adjust(MinuteMs - 1)
        expect(Option.isSome(yield* replays.find(clip.replayId))).toBe(true)
        yield* TestClock.adjust(1)
        expect(yield* replays.find(clip.replayId)).toEqual(Option.none())
        expect(yield* replays.list(projectId)).toEqual([])
      })
    )

    it.effect(
      "[replay.ttl.default] an expired replay is removed with its chunks, and no other replay is",
      () =>
        Effect.gen(function* () {
          const replays = yield* ReplayStore
          const objects = yield* ObjectStore
          const projectId = yield* newProject
          yield* replays.add(replayOf(projectId, "short", MinuteMs), [chunkOf(1)])
          yield* replays.add(replayOf(projectId, "long"), [chunkOf(1)])
          yield* TestClock.adjust(MinuteMs)
          while ((yield* replays.removeExpired) > 0);
          const left = yield* objects.list(`replays/${projectId}/`)
          expect(left.map(({ key }) => key)).toEqual([
            `replays/${projectId}/${idOf("long")}/000000`
          ])
          expect(yield* replays.list(projectId)).toMatchObject([{ replayId: idOf("long") }])
        })
    )

    it.effect("[C-834] a replay is removed by its own project alone", () =>
      Effect.gen(function* () {
        const replays = yield* ReplayStore
        const objects = yield* ObjectStore
        const [projectId, other] = [yield* newProject, yield* newProject]
        const row = yield* replays.add(replayOf(projectId, "mine"), [chunkOf(1)])
        expect(yield* replays.remove(other, idOf("mine"))).toBeNull()
        expect(yield* replays.remove(projectId, idOf("none"))).toBeNull()
        expect(yield* replays.remove(projectId, idOf("mine"))).toEqual(row)
        expect(yield* replays.find(idOf("mine"))).toEqual(Option.none())
        expect(yield* objects.list(`replays/${projectId}/`)).toEqual([])
      })
    )

    it.effect(
      "[replay.recording.ttl-from-first-chunk] a recording grows, and expires by its first chunk",
      () =>
        Effect.gen(function* () {
          const replays = yield* ReplayStore
          const projectId = yield* newProject
          const recorder = recorderOf(projectId, "grows")
          const first = yield* replays.append(recorder, chunkOf(10))
          yield* TestClock.adjust(MinuteMs)
          const second = yield* replays.append({ ...recorder, begun: true }, chunkOf(15))
          expect(first).toMatchObject({ kind: "recording", chunks: 1, running: true })
          expect(second).toEqual({ ...first, chunks: 2, bytes: 2, endsAtMs: 20_000 })
          const found = Option.getOrThrow(yield* replays.find(recorder.replayId))
          expect(yield* replays.chunks(found)).toMatchObject([
            { index: 0, fromMs: 10_000 },
            { index: 1, fromMs: 15_000 }
          ])
        })
    )

    it.effect(
      "[C-831] takes chunks of the incarnation that has the recording, until it is over",
      () =>
        Effect.gen(function* () {
          const replays = yield* ReplayStore
          const projectId = yield* newProject
          const recorder = { ...recorderOf(projectId, "moved"), begun: true }
          yield* replays.append({ ...recorder, begun: false }, chunkOf(10))
          const key = recorder.key
          const sinceMs = 15_000
          expect(yield* replays.resume(key, { version: 3, epoch: 8, sinceMs })).toMatchObject({
            replayId: recorder.replayId,
            epoch: 8,
            running: true
          })
          expect(yield* replays.append(recorder, chunkOf(15))).toBeNull()
          const next = { ...recorder, epoch: 8 }
          expect(yield* replays.append(next, chunkOf(15))).toMatchObject({ chunks: 2 })
          yield* replays.end(recorder.replayId)
          expect(yield* replays.append(next, chunkOf(20))).toBeNull()
          expect(yield* replays.resume(key, { version: 3, epoch: 9, sinceMs: 0 })).toBeNull()
          expect(yield* replays.list(projectId)).toMatchObject([{ chunks: 2, running: false }])
        })
    )

    it.effect.each([
      ["another version", { version: 4, epoch: 8, sinceMs: 0 }],
      ["a room that was away for too long", { version: 3, epoch: 8, sinceMs: 15_001 }]
    ] as const)("[C-831] a recording is over with %s", ([, how]) =>
      Effect.gen(function* () {
        const replays = yield* ReplayStore
        const projectId = yield* newProject
        const recorder = recorderOf(projectId, `over${how.version}`)
        yield* replays.append(recorder, chunkOf(10))
        expect(yield* replays.resume(recorder.key, how)).toBeNull()
        expect(yield* replays.list(projectId)).toMatchObject([{ running: false }])
      })
    )

    it.effect("[C-831] a recording whose room is gone is over, and one that goes on is not", () =>
      Effect.gen(function* () {
        const replays = yield* ReplayStore
        const projectId = yield* newProject
        const nowMs = 100 * MinuteMs
        yield* TestClock.setTime(nowMs)
        const gapMs = 2 * ReplayStoreLimits.recordingGap.ms
        const endingAt = (toMs: number): NewChunk => ({ ...chunkOf(1), toMs })
        yield* replays.append(recorderOf(projectId, "gone"), endingAt(nowMs - gapMs - 1))
        yield* replays.append(recorderOf(projectId, "there"), endingAt(nowMs - gapMs))
        yield* replays.endLost
        const rows = yield* replays.list(projectId)
        expect(new Map(rows.map((row) => [row.replayId, row.running]))).toEqual(
          new Map([
            [idOf("gone"), false],
            [idOf("there"), true]
          ])
        )
      })
    )

    it.effect(
      "[C-834] nothing is stored of a project that is deleted, and what was is not shown",
      () =>
        Effect.gen(function* () {
          const replays = yield* ReplayStore
          const projects = yield* ProjectStore
          const projectId = yield* newProject
          const recorder = recorderOf(projectId, "deleted")
          yield* replays.append(recorder, chunkOf(10))
          yield* projects.delete(projectId)
          expect(yield* replays.find(recorder.replayId)).toEqual(Option.none())
          expect(yield* replays.append({ ...recorder, begun: true }, chunkOf(15))).toBeNull()
          expect(yield* replays.add(replayOf(projectId, "late"), [chunkOf(1)])).toBeNull()
        })
    )

    it.effect("[C-834] a recording that was removed is not there again with its next chunk", () =>
      Effect.gen(function* () {
        const replays = yield* ReplayStore
        const projectId = yield* newProject
        const recorder = recorderOf(projectId, "removed")
        yield* replays.append(recorder, chunkOf(10))
        yield* replays.remove(projectId, recorder.replayId)
        expect(yield* replays.append({ ...recorder, begun: true }, chunkOf(15))).toBeNull()
        expect(yield* replays.list(projectId)).toEqual([])
      })
    )
  })
