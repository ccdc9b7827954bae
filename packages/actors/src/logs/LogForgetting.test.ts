import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

import { ProjectStore } from "../projects/ProjectStore.ts"
import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { LogForgetting } from "./LogForgetting.ts"
import { LogTail } from "./LogTail.ts"

const layer = LogForgetting.pipe(
  Layer.provideMerge(LogTail.layer),
  Layer.provideMerge(MemoryStores)
)
const line = { lineId: 1, roomId: "arena", level: "info", line: "x" } as const
const all = { roomId: null, level: "debug", fromId: 0 } as const

it.effect(
  "[C-402] the lines of a deleted project leave the memory within a second, also late ones",
  () =>
    Effect.gen(function* () {
      const tail = yield* LogTail
      const [gone, kept] = [yield* newProject, yield* newProject]
      const linesOf = (project: string) => tail.recent(project, all).lines
      for (const project of [gone, kept]) tail.publish(project, line)
      const follower = yield* tail.follow({ ...all, projectId: gone })
      if (follower === null) throw new Error("there is no follower")
      const waiting = yield* Effect.forkChild(follower.next(ProjectLimits.purgeLook.ms * 10))
      yield* TestClock.adjust(ProjectLimits.purgeLook.ms)
      expect([linesOf(gone), follower.isOver]).toEqual([[line], false])
      yield* (yield* ProjectStore).delete(gone)
      yield* TestClock.adjust(ProjectLimits.purgeLook.ms)
      expect([linesOf(gone), linesOf(kept)]).toEqual([[], [line]])
      expect([follower.isOver, yield* Fiber.join(waiting)]).toEqual([
        true,
        { lines: [], missed: 0 }
      ])
      tail.publish(gone, { ...line, lineId: 2 })
      expect((yield* follower.next(0)).lines).toEqual([])
      yield* TestClock.adjust(ProjectLimits.purgeLook.ms)
      expect([linesOf(gone), linesOf(kept)]).toEqual([[], [line]])
    }).pipe(Effect.scoped, Effect.provide(layer))
)
