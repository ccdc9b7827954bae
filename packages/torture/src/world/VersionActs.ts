import { Deployer } from "@atrium/actors/deployments/Deployer"
import type { Chance } from "@atrium/api/testing/Chance"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"

import type { Act, Weighed } from "./Acts.ts"
import type { PlayedStorage } from "./PlayedSchemas.ts"
import { throwsOf } from "./PlayedSchemas.ts"
import type { Deploying, Scene } from "./Scene.ts"

const SecondMs = 1000
/** Past the time that a deploy waits for its rehearsal. */
const deployMs = 4 * SecondMs

const strategyOf = (chance: Chance) => (chance.one(3) ? "drain" : "migrate")

/** Deploys whole code that stores something else. */
const deployStoring = (
  scene: Scene,
  chance: Chance,
  { project, stores, ...how }: { project: ProjectId; stores: PlayedStorage } & Deploying
): void =>
  scene.deploy(project, { ...scene.nextBundle(project, chance), broken: false, stores }, how)

/** Deploys another level with a migration to it. */
const breakWith = (
  scene: Scene,
  chance: Chance,
  { project, ...how }: { readonly project: ProjectId } & Deploying
): string => {
  const throwsFor = chance.one(3) ? chance.below(throwsOf) : null
  const stores = scene.storages.broken(project, { back: !chance.one(4), throwsFor })
  const wish = {
    allowBreaking: true,
    strategy: strategyOf(chance),
    quarantine: chance.one(2)
  } as const
  deployStoring(scene, chance, { project, stores, wish, ...how })
  return `level ${stores.schema.level}${throwsFor === null ? "" : ", which throws,"}`
}

const breaking: Act = (scene, chance) => {
  const project = chance.pick(scene.coded)
  return `deploy ${project} with ${breakWith(scene, chance, { project })}`
}

/** Rooms that sleep meanwhile have to go through all of them. */
const ladder: Act = (scene, chance) => {
  const { world } = scene
  const project = chance.pick(scene.coded)
  for (let rung = 0; rung < 3; rung++) {
    world.outside.after(rung * deployMs, () => {
      if (!world.calm) breakWith(scene, chance, { project })
    })
  }
  return `three breaking deploys of ${project} in a row`
}

const grow: Act = (scene, chance) => {
  const project = chance.pick(scene.coded)
  const wish = { strategy: strategyOf(chance) } as const
  deployStoring(scene, chance, { project, stores: scene.storages.grown(project), wish })
  return `deploy ${project} with a field more`
}

const mend: Act = (scene, chance) => {
  const project = chance.pick(scene.coded)
  const wish = { allowBreaking: true } as const
  deployStoring(scene, chance, { project, stores: scene.storages.mended(project), wish })
  return `deploy ${project} with its migrations mended`
}

const rollBack: Act = (scene, chance) => {
  const project = chance.pick(scene.coded)
  const current = scene.versionOf(project)
  const version = chance.one(2) ? null : 1 + chance.below(Math.max(1, current))
  scene.calling(Effect.flatMap(Deployer, (deployer) => deployer.rollback(project, version)))
  return `roll ${project} back to ${version ?? "the version before"}`
}

/** A game that is being written gives up what older versions stored. */
const startAnew: Act = (scene, chance) => {
  const project = chance.pick(scene.coded)
  const wish = { settings: { preRelease: true } } as const
  deployStoring(scene, chance, { project, stores: scene.storages.broken(project, null), wish })
  scene.world.outside.after(deployMs, () => scene.endPreRelease(project))
  return `deploy ${project} and give up what is stored`
}

/** The acts of developers whose games have stored state, each with its relative frequency. */
export const versionActs: ReadonlyArray<Weighed> = [
  { weight: 6, act: breaking },
  { weight: 2, act: ladder },
  { weight: 3, act: grow },
  { weight: 3, act: mend },
  { weight: 4, act: rollBack },
  { weight: 2, act: startAnew }
]

/** The processes of migrations die. */
const migratorsDie: Act = ({ world }, chance) => {
  world.migrators.diesOneIn = 1 + chance.below(3)
  const { diesOneIn } = world.migrators
  world.outside.after(chance.below(20 * SecondMs), () => (world.migrators.diesOneIn = 0))
  return `one migrator in ${diesOneIn} dies`
}

/** The runner that takes a breaking deployment dies at any time of it. */
const crashBreaking: Act = (scene, chance) => {
  const { world } = scene
  if (world.open.length < 2) return "there are no runners to spare"
  const at = chance.pick(world.open)
  const project = chance.pick(scene.coded)
  const told = breakWith(scene, chance, { project, at })
  world.outside.after(chance.below(2 * SecondMs), () => {
    if (!world.calm && !at.host.dead) world.kill(at, false)
  })
  world.outside.after(3 * SecondMs, () => {
    if (!world.calm && world.alive.length < 3) world.addRunner()
  })
  return `deploy ${project} with ${told} on ${at.host.name}, which dies`
}

/** Mishaps of worlds with migrations, each with its relative frequency among all mishaps. */
export const versionMishaps: ReadonlyArray<Weighed> = [
  { weight: 4, act: migratorsDie },
  { weight: 4, act: crashBreaking }
]
