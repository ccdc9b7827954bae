import { PhysicsCodes } from "@atrium/wire/physics/PhysicsCodes"

import type { RoomCore } from "../room/RoomCore.ts"
import { RpcError } from "../room/RpcError.ts"
import type { PhysicsWorld, SavedWorld } from "./PhysicsEngine.ts"
import type { RoomPhysics } from "./RoomPhysics.ts"

/** The physics of a room. It has no world before the state is loaded, and never one if the type declares no physics. */
export class WorldOfRoom {
  readonly #core: RoomCore
  #world: PhysicsWorld | null = null
  /** What room code gets as `room.physics`. */
  readonly physics: RoomPhysics

  constructor(core: RoomCore) {
    this.#core = core
    const world = (): PhysicsWorld | null => this.#world
    this.physics = Object.freeze<RoomPhysics>({
      rewind: (atTick, run) => (world() ?? none()).rewind(atTick, run),
      get history() {
        return world()?.history ?? NoHistory
      }
    })
  }

  /** Makes the world, when the state is there. */
  start(room: object, saved: SavedWorld | null): void {
    const { handlers, schema, state, tick } = this.#core
    if (handlers.physics === undefined) return
    this.#world = handlers.physics.start({
      room,
      tickHz: schema.tickHz,
      tick,
      state: state.state,
      saved,
      warn: (line) => this.#core.log("warn", `physics: ${line}`)
    })
  }

  /** What a step throws is logged. */
  step(tick: number): void {
    if (this.#world !== null) this.#core.hook("physics", () => this.#world?.step(tick))
  }

  save(): { readonly physics?: SavedWorld } {
    return this.#world === null ? {} : { physics: this.#world.save() }
  }
}

const none = (): never => {
  const says = "the room's type declares no physics.history, so that there is nothing to go back to"
  throw new RpcError(PhysicsCodes.noHistory, says)
}

const NoHistory = Object.freeze({
  oldestTick: null,
  newestTick: null,
  poseBytes: 0,
  channelBytes: 0
})
