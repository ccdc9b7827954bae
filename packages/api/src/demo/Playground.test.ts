import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { MemoryStores, newProject } from "@atrium/actors/store/testing/TestStores"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

import { ServiceFacts } from "../welcome/ServiceFacts.ts"
import { playground } from "./Playground.ts"
import { deployTypes } from "./testing/DeployedTypes.ts"

const facts = { version: "1.2.3", url: "http://127.0.0.1:1", ownDatabase: true }

const stage = Effect.gen(function* () {
  const projectId = yield* newProject
  const now = Effect.provideService(playground, ServiceFacts, { ...facts, playground: projectId })
  const deploy = (...names: ReadonlyArray<string>) => deployTypes(projectId, names)
  return { projectId, now, deploy }
})

it.effect("[C-393] strangers play in a project for as long as it is there", () =>
  Effect.gen(function* () {
    const { projectId, now } = yield* stage
    const projects = yield* ProjectStore
    expect(yield* now).toMatchObject({ projectId, games: [] })
    yield* projects.delete(projectId)
    expect(yield* now).toBe(null)
    const none = { ...facts, playground: null }
    expect(yield* Effect.provideService(playground, ServiceFacts, none)).toBe(null)
  }).pipe(Effect.provide(MemoryStores))
)

it.effect(
  "[C-870] marbles is a game where the first start alone has deployed, or where it is deployed",
  () =>
    Effect.gen(function* () {
      const { now, deploy } = yield* stage
      yield* deploy("arena", "tic-tac-toe")
      const all = ["arena", "tic-tac-toe", "marbles"]
      expect(yield* now).toMatchObject({ games: all, lacksMarbles: true })
      yield* deploy(...all)
      expect(yield* now).toMatchObject({ games: all, lacksMarbles: false })
      // What its owner deploys stays.
      yield* deploy("arena", "tic-tac-toe")
      expect(yield* now).toMatchObject({ games: ["arena", "tic-tac-toe"], lacksMarbles: false })
    }).pipe(Effect.provide(MemoryStores))
)
