import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Exit, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { JwtSecretStore } from "./JwtSecretStore.ts"

/**
 * The behaviour of every layer of `JwtSecretStore`.
 * @param name of the layer, as the report shows it
 */
export const jwtSecretStoreContract = (
  name: string,
  stores: Layer.Layer<JwtSecretStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[D-25] a JWT secret is minted once; another one only by rotation", () =>
      Effect.gen(function* () {
        const secrets = yield* JwtSecretStore
        const projectId = yield* newProject
        expect(yield* secrets.validKids(projectId)).toEqual([])
        const first = yield* secrets.mint(projectId, false)
        expect(first.secret).toMatch(/^js_[A-Za-z0-9_-]{43}$/)
        expect(first.kid).toBe(1)
        const refused = yield* Effect.flip(secrets.mint(projectId, false))
        expect(refused._tag).toBe("E_SECRET_EXISTS")
        expect(yield* secrets.validKids(projectId)).toEqual([1])
        const second = yield* secrets.mint(projectId, true)
        expect(second.kid).toBe(2)
        expect(second.secret).not.toBe(first.secret)
      })
    )

    it.effect("[D-25] a rotated secret stays valid for 24 hours, and not a millisecond more", () =>
      Effect.gen(function* () {
        const secrets = yield* JwtSecretStore
        const projectId = yield* newProject
        yield* secrets.mint(projectId, true)
        yield* secrets.mint(projectId, true)
        yield* TestClock.adjust("1 hour")
        yield* secrets.mint(projectId, true)
        expect(yield* secrets.validKids(projectId)).toEqual([3, 2, 1])
        yield* TestClock.adjust(IdentityLimits.jwtSecretOverlap.ms - 3_600_000 - 1)
        expect(yield* secrets.validKids(projectId)).toEqual([3, 2, 1])
        yield* TestClock.adjust(1)
        expect(yield* secrets.validKids(projectId)).toEqual([3, 2])
        yield* TestClock.adjust("1 hour")
        expect(yield* secrets.validKids(projectId)).toEqual([3])
        yield* TestClock.adjust("30 hours")
        expect(yield* secrets.validKids(projectId)).toEqual([3])
      })
    )

    it.effect("[D-25] valid secrets come with the moment at which the first of them retires", () =>
      Effect.gen(function* () {
        const secrets = yield* JwtSecretStore
        const projectId = yield* newProject
        const overlapMs = IdentityLimits.jwtSecretOverlap.ms
        const startMs = yield* Clock.currentTimeMillis
        expect(yield* secrets.valid(projectId)).toEqual({ kids: [], untilMs: null })
        yield* secrets.mint(projectId, true)
        expect(yield* secrets.valid(projectId)).toEqual({ kids: [1], untilMs: null })
        yield* secrets.mint(projectId, true)
        yield* TestClock.adjust("1 hour")
        yield* secrets.mint(projectId, true)
        const first = { kids: [3, 2, 1], untilMs: startMs + overlapMs }
        expect(yield* secrets.valid(projectId)).toEqual(first)
        yield* TestClock.adjust(overlapMs - 3_600_000)
        const second = { kids: [3, 2], untilMs: startMs + 3_600_000 + overlapMs }
        expect(yield* secrets.valid(projectId)).toEqual(second)
        yield* secrets.remove(projectId)
        expect(yield* secrets.valid(projectId)).toEqual({ kids: [], untilMs: null })
      })
    )

    it.effect(
      "[C-222] without its secrets a project is as before; their numbers are not reused",
      () =>
        Effect.gen(function* () {
          const secrets = yield* JwtSecretStore
          const [projectId, other] = [yield* newProject, yield* newProject]
          expect(yield* secrets.remove(projectId)).toEqual([])
          const first = yield* secrets.mint(projectId, false)
          yield* secrets.mint(other, false)
          yield* secrets.mint(projectId, true)
          expect(yield* secrets.remove(projectId)).toEqual([2, 1])
          expect(yield* secrets.validKids(projectId)).toEqual([])
          expect(yield* secrets.validKids(other)).toEqual([1])
          // A runner whose clock is behind agrees.
          yield* TestClock.setTime(1)
          expect(yield* secrets.validKids(projectId)).toEqual([])
          expect(yield* secrets.remove(projectId)).toEqual([])
          const next = yield* secrets.mint(projectId, false)
          expect(next.kid).toBe(3)
          expect(next.secret).not.toBe(first.secret)
          expect(yield* secrets.validKids(projectId)).toEqual([3])
        })
    )

    it.effect(
      "[D-25] of eight who mint at once one gets the secret; all who rotate get their own",
      () =>
        Effect.gen(function* () {
          const secrets = yield* JwtSecretStore
          const projectId = yield* newProject
          const mints = (rotate: boolean) =>
            Effect.all(
              Array.from({ length: 8 }, () => Effect.exit(secrets.mint(projectId, rotate))),
              { concurrency: 8 }
            )
          expect((yield* mints(false)).filter(Exit.isSuccess)).toHaveLength(1)
          const kids = (yield* mints(true)).map((exit) =>
            Exit.isSuccess(exit) ? exit.value.kid : 0
          )
          expect(new Set(kids)).toEqual(new Set([2, 3, 4, 5, 6, 7, 8, 9]))
        })
    )

    it.effect("[D-25] a project that is not there, or not any more, has no secrets", () =>
      Effect.gen(function* () {
        const secrets = yield* JwtSecretStore
        const projectId = yield* newProject
        yield* secrets.mint(projectId, false)
        yield* (yield* ProjectStore).delete(projectId)
        for (const gone of [projectId, ProjectId.make("p_00000000000000ff")]) {
          expect(yield* secrets.validKids(gone)).toBe(null)
          expect((yield* Effect.flip(secrets.mint(gone, true)))._tag).toBe("E_NOT_FOUND")
        }
      })
    )
  })
