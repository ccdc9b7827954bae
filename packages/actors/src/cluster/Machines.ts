import { Context } from "effect"

import { step as stepRoom } from "../rooms/RoomMachine.ts"
import { step as stepSnapshot } from "../rooms/SnapshotMachine.ts"
import { step as stepServer } from "../servers/ServerMachine.ts"

/**
 * The machines that the actors of this runner step. The simulation watches every step, or puts a wrong
 * machine in the place of the right one.
 */
export const Machines = Context.Reference<{
  /** @param room the key of the actor */
  room(room: string): typeof stepRoom
  server(server: string): typeof stepServer
  readonly snapshot: typeof stepSnapshot
}>("@atrium/actors/cluster/Machines", {
  defaultValue: () => ({
    room: () => stepRoom,
    server: () => stepServer,
    snapshot: stepSnapshot
  })
})
