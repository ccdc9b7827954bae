import { JwtSecretStore, type ValidSecrets } from "@atrium/actors/identity/JwtSecretStore"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { within } from "../testing/load/Tasks.ts"
import { JoinTerms } from "./JoinTerms.ts"

const projectId = ProjectId.make("p_0000000000000001")

const store = <Service extends object>(answers: Partial<Service>): Service =>
  // Cast: a test fakes only the methods that it calls.
  answers as Service

/** The terms of a project whose secrets are read as the test says. */
const stage = Effect.fnUntraced(function* (secrets: Effect.Effect<ValidSecrets | null>) {
  const asked = { times: 0 }
  const valid = () =>
    Effect.andThen(
      Effect.sync(() => void asked.times++),
      secrets
    )
  const layer = JoinTerms.layer.pipe(
    Layer.provide([
      Layer.succeed(JwtSecretStore, store<JwtSecretStore["Service"]>({ valid })),
      Layer.succeed(
        ProjectStore,
        store<ProjectStore["Service"]>({ origins: () => Effect.succeed(Option.some(["*"])) })
      )
    ])
  )
  return { asked, terms: yield* Effect.provide(JoinTerms, layer) }
})

it.effect("[C-920] a thousand clients that come at once wait for one look at the secrets", () =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<ValidSecrets>()
    const { asked, terms } = yield* stage(Deferred.await(answer))
    const told: Array<unknown> = []
    for (let client = 0; client < 1000; client++) {
      terms.kids.refresh(projectId, () => void told.push(terms.kids.recent(projectId)))
    }
    expect(terms.kids.recent(projectId)).toBe(undefined)
    yield* Deferred.succeed(answer, { kids: [2, 1], untilMs: null })
    expect(yield* Effect.promise(() => within(5000, () => told.length === 1000))).toBe(true)
    expect(told.every((kids) => Array.isArray(kids) && kids[0] === 2)).toBe(true)
    expect(asked.times).toBe(1)
    expect(terms.origins.recent(projectId)).toBe(undefined)
    expect(yield* terms.origins.read(projectId)).toEqual(["*"])
    expect(terms.origins.recent(projectId)).toEqual(["*"])
  })
)

it.effect("[C-920] a look that fails tells those who wait, who know no more than before", () =>
  Effect.gen(function* () {
    const { asked, terms } = yield* stage(Effect.die(new Error("the store is away")))
    for (const times of [1, 2]) {
      yield* Effect.callback<void>((resume) =>
        terms.kids.refresh(projectId, () => resume(Effect.void))
      )
      expect(terms.kids.recent(projectId)).toBe(undefined)
      expect(asked.times).toBe(times)
    }
  })
)

it.effect("[D-25] a secret that was read a moment ago is not used past the end of its time", () =>
  Effect.gen(function* () {
    const { terms } = yield* stage(Effect.succeed({ kids: [2, 1], untilMs: 100 }))
    yield* TestClock.setTime(99)
    yield* terms.kids.read(projectId)
    expect(terms.kids.recent(projectId)).toEqual([2, 1])
    yield* TestClock.setTime(100)
    expect(terms.kids.recent(projectId)).toBe(undefined)
  })
)
