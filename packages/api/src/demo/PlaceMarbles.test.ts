import { Deployer } from "@atrium/actors/deployments/Deployer"
import type { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { MemoryStores, newProject } from "@atrium/actors/store/testing/TestStores"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

import { ServiceFacts } from "../welcome/ServiceFacts.ts"
import { placeMarbles } from "./PlaceMarbles.ts"
import { deployTypes } from "./testing/DeployedTypes.ts"

const facts = { version: "1.2.3", url: "http://127.0.0.1:1", ownDatabase: true }
const raced = new NotReady({ message: "another version was made meanwhile; try again" })
const examples = ["arena", "tic-tac-toe"]

/** Places marbles in a project with the examples, while somebody deploys these types, or nobody. */
const placedBeside = Effect.fnUntraced(function* (others: ReadonlyArray<string> | null) {
  const projectId = yield* newProject
  yield* Effect.orDie(deployTypes(projectId, examples))
  const context = yield* Effect.context<DeploymentStore>()
  const asked: Array<number | undefined> = []
  const deployer: Partial<Deployer["Service"]> = {
    deploy: (_projectId, _bundle, wish) => {
      asked.push(wish?.replaces)
      const deploys = others === null ? Effect.void : Effect.orDie(deployTypes(projectId, others))
      return Effect.andThen(Effect.provideContext(deploys, context), Effect.fail(raced))
    }
  }
  const placed = yield* placeMarbles.pipe(
    Effect.provideService(Deployer, Object.assign(Object.create(null), deployer)),
    Effect.provideService(ServiceFacts, { ...facts, playground: projectId }),
    Effect.exit
  )
  return { placed, asked }
})

it.effect("[C-874] marbles comes after the first version alone, and an owner's version stays", () =>
  Effect.gen(function* () {
    const { placed, asked } = yield* placedBeside([...examples, "own"])
    expect([placed, asked]).toMatchObject([{ _tag: "Success", value: false }, [1]])
  }).pipe(Effect.provide(MemoryStores))
)

it.effect("[C-874] marbles that came by another runner meanwhile is there", () =>
  Effect.gen(function* () {
    const { placed } = yield* placedBeside([...examples, "marbles"])
    expect(placed).toMatchObject({ _tag: "Success", value: true })
  }).pipe(Effect.provide(MemoryStores))
)

it.effect("[C-874] marbles that is refused where nobody deployed is a fault", () =>
  Effect.gen(function* () {
    const { placed } = yield* placedBeside(null)
    expect(placed._tag).toBe("Failure")
  }).pipe(Effect.provide(MemoryStores))
)
