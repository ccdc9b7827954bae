import type { RoomClass } from "@atrium/wire/rooms/RoomClass"

import { Chance } from "../fuzz/Chance.ts"
import { Client } from "./Client.ts"
import { Jobs } from "./Jobs.ts"
import type { RoomActor } from "./RoomActor.ts"
import type { Deployment, DeployedType } from "./StoredRoom.ts"
import { Failure, Group, type Work } from "./Work.ts"
import { type Parts, World } from "./World.ts"

/** Room types of every project; which class each has, a deployment may change. */
export const typeNames = ["duel", "arena", "land"] as const
const classes: ReadonlyArray<RoomClass> = ["standard", "large", "xlarge"]
const retentions = [null, "30m", "2h", "30d"] as const

const clientsMax = 14

/** A world with its projects, and the people in and around it. */
export class Scene {
  readonly world: World
  readonly jobs: Jobs
  readonly clients: ReadonlyArray<Client>
  readonly keys: ReadonlyArray<string>
  readonly projects: ReadonlyArray<string>
  /** Calls of the API that have not been answered yet. */
  calls = 0
  readonly #outside = new Group(null)
  #write = 0

  constructor(seed: number, parts: Parts) {
    const chance = Chance.of(seed, "scene", 0)
    this.world = new World(seed, parts, 1 + chance.below(3))
    this.jobs = new Jobs(this.world, this.#outside)
    this.projects = ["free", "card", "relay"].slice(0, 1 + chance.below(3))
    const crowded = chance.one(4)
    const rooms = crowded ? 14 : 1 + chance.below(4)
    this.keys = this.projects.flatMap((project) =>
      Array.from({ length: rooms }, (_, at) => `${project}/r${at}`)
    )
    for (const project of this.projects) {
      this.world.plans.set(project, project === "free" ? "free" : "card")
      this.world.store.deploy(project, deploymentOf(project, chance))
    }
    const clients = crowded ? 2 * clientsMax : 2 + chance.below(clientsMax)
    this.clients = Array.from({ length: clients }, () => new Client(this.world, this.#outside))
  }

  /** The type that a room of this name is usually asked for as. */
  typeOf(key: string): string {
    return typeNames[Number(key.slice(key.indexOf("/") + 2)) % typeNames.length] ?? "duel"
  }

  /** Every write has a number of its own. */
  readonly nextWrite = (): number => ++this.#write

  /** A call from outside; what it is refused with is the machine's to judge. */
  calling(key: string, call: (room: RoomActor) => Work<unknown>): void {
    const { world } = this
    const { runners } = world.cluster
    if (runners.length === 0) return
    this.calls++
    const from = runners[this.calls % runners.length] ?? null
    const settle = (): void => void this.calls--
    function* asked(): Work<void> {
      try {
        yield* world.cluster.onRoom(from, key, call)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
      }
      settle()
    }
    world.fork(this.#outside, asked())
  }

  fork(work: Work<unknown>): void {
    this.world.fork(this.#outside, work)
  }
}

/** The next version of a project: the same types, perhaps of other classes, perhaps broken. */
export const deploymentOf = (project: string, chance: Chance): Omit<Deployment, "version"> => {
  const same = chance.below(4)
  const types = typeNames.map((type, at): DeployedType => ({
    type,
    class: (same < 3 ? classes[same] : classes[at]) ?? "standard",
    retention: chance.pick(retentions)
  }))
  return {
    types: chance.one(12) ? types.slice(1) : types,
    relay: project === "relay",
    broken: chance.one(12)
  }
}
