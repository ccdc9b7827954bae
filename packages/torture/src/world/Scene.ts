import { declareInMemory } from "@atrium/actors/boards/MemoryBoards"
import { type DeployAsked, Deployer } from "@atrium/actors/deployments/Deployer"
import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { deploymentTable } from "@atrium/actors/deployments/MemoryDeployments"
import { FleetStore } from "@atrium/actors/fleet/FleetStore"
import { type Places, Presence } from "@atrium/actors/presence/Presence"
import { type ProjectRow, projectTable } from "@atrium/actors/projects/ProjectStore"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { Chance } from "@atrium/api/testing/Chance"
import type { RunnerSetting } from "@atrium/domain/fleet/RunnerStatus"
import type { Tier } from "@atrium/domain/meters/Caps"
import { type ProjectId, roomKeyOf, type RoomKey } from "@atrium/domain/shared/Ids"
import { Effect, Exit } from "effect"

import { Client } from "./Client.ts"
import {
  bundleOf,
  bytesOfBundle,
  described,
  type PlayedBundle,
  projectIds,
  typeNames
} from "./Deployments.ts"
import { boards, queues } from "./GameProjects.ts"
import type { Parts } from "./Parts.ts"
import { PlayedStorages } from "./PlayedStorages.ts"
import type { Runner, RunnerServices } from "./Runner.ts"
import { watchSeats } from "./SeatWatch.ts"
import { World, type WorldOf } from "./World.ts"

const clientsMax = 14
const SecondMs = 1000

/** A runner that is asked where the players of a project are. */
export interface PresenceAsked {
  readonly project: ProjectId
  readonly runner: Runner
}

/** How a bundle is deployed. */
export interface Deploying {
  /** Absent = on any runner. */
  readonly at?: Runner
  /** Absent = at once, and only if nothing breaks. */
  readonly wish?: DeployAsked
}

/** A world with its projects, and the people in and around it. */
export class Scene {
  readonly world: World
  readonly clients: ReadonlyArray<Client>
  readonly rooms: ReadonlyArray<string>
  readonly projects: ReadonlyArray<ProjectId>
  /** Calls of the API that have not been answered yet. */
  calls = 0
  readonly storages = new PlayedStorages((project) => {
    const bundle = this.world.stored.bundle(project, this.versionOf(project))
    return bundle?.stores?.schema ?? null
  })
  #write = 0
  #bundles = 0

  constructor(of: WorldOf, parts: Parts) {
    const chance = Chance.of(of.seed, "scene", 0)
    this.world = new World(of, parts)
    this.projects = Object.values(projectIds).slice(0, 1 + chance.below(3))
    const crowded = chance.one(4)
    const rooms = crowded ? 14 : 1 + chance.below(4)
    this.rooms = this.projects.flatMap((project) =>
      Array.from({ length: rooms }, (_, at) => `${project}/r${at}`)
    )
    for (const project of this.projects) this.#addProject(project)
    const clients = crowded ? 2 * clientsMax : 2 + chance.below(clientsMax)
    this.clients = Array.from({ length: clients }, (_, at) => new Client(this.world, `c${at}`))
    const runners = this.world.alone ? 1 : 1 + chance.below(3)
    for (let runner = 0; runner < runners; runner++) this.world.addRunner()
    watchSeats(this.world, this.clients)
    this.#begin(chance)
  }

  /** Time passes until a runner is up and everything is deployed; the others may be on their way. */
  #begin(chance: Chance): void {
    const { timeline } = this.world
    while (this.world.open.length === 0) timeline.pass(10)
    for (const project of this.projects) this.deploy(project, this.nextBundle(project, chance))
    const [runner] = this.world.open
    if (runner !== undefined && chance.one(4)) {
      for (const project of this.projects) this.askPresence({ project, runner }, () => {})
    }
    while (this.calls > 0 && !timeline.stopped) timeline.pass(10)
  }

  #addProject(projectId: ProjectId): void {
    projectTable.rowsIn(this.world.door.tables).set(projectId, {
      projectId,
      accountId: "acc_0000000000000001",
      name: projectId,
      plan: projectId === projectIds.free ? "free" : "card",
      createdAtMs: 0,
      currentVersion: null,
      origins: ["*"],
      preRelease: false,
      connectionsPerIpPerMin: null,
      vmMemMib: null,
      queues,
      boards,
      audienceRole: null
    })
    declareInMemory(this.world.door.tables, projectId, boards)
  }

  setPlan(project: ProjectId, plan: Tier): void {
    this.#setProject(project, { plan })
  }

  #setProject(project: ProjectId, changed: Partial<ProjectRow>): void {
    const projects = projectTable.rowsIn(this.world.door.tables)
    const row = projects.get(project)
    if (row !== undefined) projects.set(project, { ...row, ...changed })
  }

  /** The projects whose rooms run code. */
  get coded(): ReadonlyArray<ProjectId> {
    return this.projects.filter((project) => project !== projectIds.relay)
  }

  nextBundle(project: ProjectId, chance: Chance): PlayedBundle {
    return this.#storing(project, bundleOf(project, chance, ++this.#bundles))
  }

  /** In a world whose versions differ by what their rooms store, the next one stores what the current one does. */
  #storing(project: ProjectId, bundle: PlayedBundle): PlayedBundle {
    if (bundle.relay) return bundle
    if (this.world.films) return { ...bundle, films: true }
    return this.world.versions === null
      ? bundle
      : { ...bundle, stores: this.storages.same(project) }
  }

  endPreRelease(project: ProjectId): void {
    this.#setProject(project, { preRelease: false })
  }

  /** The version that the project runs now; 0 = none. */
  versionOf(project: ProjectId): number {
    return projectTable.rowsIn(this.world.door.tables).get(project)?.currentVersion ?? 0
  }

  /** Rooms that are up on versions before this one stay there until they are empty; 0 = none do. */
  drainedBy(project: ProjectId): number {
    const deployments = deploymentTable.rowsIn(this.world.door.tables).get(project)?.values() ?? []
    return [...deployments].findLast(({ step }) => step?.strategy === "drain")?.version ?? 0
  }

  /** The room types that the project runs now. */
  typesOf(project: ProjectId): PlayedBundle["types"] {
    const deployments = deploymentTable.rowsIn(this.world.door.tables).get(project)
    return deployments?.get(this.versionOf(project))?.roomTypes ?? []
  }

  /** The type that a room of this name is usually asked for as. */
  typeOf(room: string): string {
    return typeNames[Number(room.slice(room.indexOf("/") + 2)) % typeNames.length] ?? "duel"
  }

  /** Every write has a number of its own. */
  readonly nextWrite = (): number => ++this.#write

  /** A call of the API on a runner that the caller happens to reach; its refusals are its own affair. */
  calling<E>(
    call: Effect.Effect<unknown, E, RunnerServices>,
    at: Runner | undefined = this.anyRunner()
  ): void {
    if (at === undefined) return
    this.calls++
    at.run(call, () => {
      this.calls--
    })
  }

  /** A question to a runner. `heard` hears of its answer, unless it fails or gets lost. */
  asking<A, E>(
    question: Effect.Effect<A, E, RunnerServices>,
    heard: (answer: A) => void,
    at: Runner | undefined = this.anyRunner()
  ): void {
    if (at === undefined) return
    this.calls++
    at.run(question, (exit) => {
      this.calls--
      if (exit !== null && Exit.isSuccess(exit)) heard(exit.value)
    })
  }

  /** Asks a runner where all players of a project are. */
  askPresence({ project, runner }: PresenceAsked, heard: (places: Places) => void): void {
    const players = this.clients.map(({ playerId }) => playerId)
    this.asking(
      Effect.flatMap(Presence, (presence) => presence.read({ projectId: project, players })),
      heard,
      runner
    )
  }

  anyRunner(): Runner | undefined {
    const { open } = this.world
    return open.length === 0 ? undefined : open[this.calls % open.length]
  }

  onRoom<E>(
    room: string,
    call: (rooms: Rooms["Service"], key: RoomKey) => Effect.Effect<unknown, E>
  ): void {
    this.calling(Effect.flatMap(Rooms, (rooms) => call(rooms, roomKeyOf(room))))
  }

  /** The operator's word to a runner of the fleet. */
  order(runner: string, setting: RunnerSetting): void {
    this.calling(Effect.flatMap(FleetStore, (fleet) => fleet.order(runner, setting)))
  }

  deploy(project: ProjectId, bundle: PlayedBundle, { at, wish }: Deploying = {}): void {
    this.calling(
      Effect.flatMap(Deployer, (deployer) => deployer.deploy(project, bytesOfBundle(bundle), wish)),
      at
    )
  }

  /** Deploys whole code for all room types, whatever is deployed now: no call, and at once. */
  repair(project: ProjectId): void {
    const { timeline } = this.world
    const known = this.typesOf(project)
    const types = typeNames.map(
      (type) =>
        known.find((one) => one.type === type) ?? {
          type,
          class: "standard" as const,
          retention: null
        }
    )
    if (this.world.versions !== null) this.storages.mended(project)
    const bundle = this.#storing(project, {
      types,
      relay: project === projectIds.relay,
      broken: false,
      number: ++this.#bundles
    })
    this.calling(
      Effect.flatMap(DeploymentStore, (deployments) => {
        const { relay, types: roomTypes, migrations = [] } = described(bundle)
        return deployments.add(
          project,
          { bundle: bytesOfBundle(bundle), relay, roomTypes, migrations },
          () => null
        )
      })
    )
    timeline.pass(SecondMs)
  }
}
