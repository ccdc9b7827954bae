import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { MemoryStores, newProject } from "@atrium/actors/store/testing/TestStores"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

import { ServiceFacts } from "../welcome/ServiceFacts.ts"
import { playground } from "./Playground.ts"

const facts = { version: "1.2.3", url: "http://127.0.0.1:1", ownDatabase: true }

it.effect("[C-393] strangers play in a project for as long as it is there", () =>
  Effect.gen(function* () {
    const projectId = yield* newProject
    const projects = yield* ProjectStore
    const now = Effect.provideService(playground, ServiceFacts, { ...facts, playground: projectId })
    expect(yield* now).toBe(projectId)
    yield* projects.delete(projectId)
    expect(yield* now).toBe(null)
    const none = { ...facts, playground: null }
    expect(yield* Effect.provideService(playground, ServiceFacts, none)).toBe(null)
  }).pipe(Effect.provide(MemoryStores))
)
