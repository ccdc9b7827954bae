import { JwtSecretStore } from "@atrium/actors/identity/JwtSecretStore"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option } from "effect"

import { within } from "../testing/load/Tasks.ts"
import { JoinTerms } from "./JoinTerms.ts"

const projectId = ProjectId.make("p_0000000000000001")

const store = <Service extends object>(answers: Partial<Service>): Service =>
  // Cast: a test fakes only the methods that it calls.
  answers as Service

/** The terms of a project whose secrets are read as the test says. */
const stage = Effect.fnUntraced(function* (kids: Effect.Effect<ReadonlyArray<number> | null>) {
  const asked = { times: 0 }
  const validKids = () =>
    Effect.andThen(
      Effect.sync(() => void asked.times++),
      kids
    )
  const layer = JoinTerms.layer.pipe(
    Layer.provide([
      Layer.succeed(JwtSecretStore, store<JwtSecretStore["Service"]>({ validKids })),
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
    const answer = yield* Deferred.make<ReadonlyArray<number>>()
    const { asked, terms } = yield* stage(Deferred.await(answer))
    const told: Array<unknown> = []
    for (let client = 0; client < 1000; client++) {
      terms.kids.refresh(projectId, () => void told.push(terms.kids.recent(projectId)))
    }
    expect(terms.kids.recent(projectId)).toBe(undefined)
    yield* Deferred.succeed(answer, [2, 1])
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
