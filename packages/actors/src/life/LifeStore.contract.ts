import { LifeLimits } from "@atrium/domain/life/LifeLimits"
import { lineIdAt } from "@atrium/domain/logs/LogLine"
import { RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { LifeStore } from "./LifeStore.ts"

const [arena, hall] = [RoomId.make("arena"), RoomId.make("hall")]

/**
 * The behaviour of every layer of `LifeStore`.
 * @param name of the layer, as the report shows it
 */
export const lifeStoreContract = (
  name: string,
  stores: Layer.Layer<LifeStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-772] keeps the events of each room, and shows the newest first", () =>
      Effect.gen(function* () {
        const store = yield* LifeStore
        const projectId = yield* newProject
        const at = lineIdAt(yield* Clock.currentTimeMillis)
        // A room's code says how it ended.
        const detail = "\u0000 \ud800 \u001b[2J '; drop table room_lives"
        const note = { kind: "woken", version: 2, server: "srv_0123456789ab" } as const
        const events = [
          { projectId, roomId: arena, eventId: at, note },
          { projectId, roomId: arena, eventId: at + 1, note: { kind: "crashed", detail } as const },
          { projectId, roomId: hall, eventId: at, note: { kind: "lost" } as const }
        ]
        yield* store.append(events)
        // Asked again, as nobody knew whether it was done.
        yield* store.append(events.map((event) => ({ ...event, note: { kind: "closed" } })))
        expect(yield* store.read({ projectId, roomId: arena })).toEqual([
          { eventId: at + 1, note: { kind: "crashed", detail } },
          { eventId: at, note }
        ])
        yield* store.remove({ projectId, roomId: arena })
        expect(yield* store.read({ projectId, roomId: arena })).toEqual([])
        expect(yield* store.read({ projectId, roomId: hall })).toHaveLength(1)
      })
    )

    it.effect("[limits.life.events] [C-772] shows 500 events of a room", () =>
      Effect.gen(function* () {
        const store = yield* LifeStore
        const projectId = yield* newProject
        const at = lineIdAt(yield* Clock.currentTimeMillis)
        const { max } = LifeLimits.lifeEvents
        const event = (place: number) => ({
          projectId,
          roomId: arena,
          eventId: at + place,
          note: { kind: "lost" } as const
        })
        yield* store.append(Array.from({ length: max + 1 }, (_, place) => event(place)))
        const shown = yield* store.read({ projectId, roomId: arena })
        expect([shown.length, shown[0]?.eventId, shown.at(-1)?.eventId]).toEqual([
          max,
          at + max,
          at + 1
        ])
      })
    )

    it.effect(
      "[limits.life.kept] [C-772] an event of seven days is shown no more, and is removed",
      () =>
        Effect.gen(function* () {
          const store = yield* LifeStore
          const projectId = yield* newProject
          const key = { projectId, roomId: arena }
          const eventId = lineIdAt(yield* Clock.currentTimeMillis)
          yield* store.append([{ ...key, eventId, note: { kind: "lost" } }])
          yield* TestClock.adjust(LifeLimits.lifeKept.ms - 1)
          expect(yield* store.read(key)).toHaveLength(1)
          yield* TestClock.adjust(1)
          expect(yield* store.read(key)).toEqual([])
          expect(yield* store.removeOld).toBeGreaterThan(0)
          expect(yield* store.removeOld).toBe(0)
        })
    )
  })
