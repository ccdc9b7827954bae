import type { StartOrder } from "@atrium/runtime/host/HostOrders"
import type { Room, RoomHandlers } from "@atrium/runtime/room/Room"
import { settle, TestRoom } from "@atrium/runtime/testing/TestRoom"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

/** A room with a world between a test and virtual time. */
export class PhysicsStage<S extends AnyRoomSchema> {
  readonly test: TestRoom<S>
  /** Of the last tick that has run. */
  tick = 0
  #room: Room<S> | null = null

  private constructor(schema: S, handlers: RoomHandlers<S>, start: Partial<StartOrder>) {
    this.test = new TestRoom<S>(
      schema,
      {
        ...handlers,
        onTick: (room, step) => {
          this.#room = room
          this.tick = step.tick
          return handlers.onTick?.(room, step)
        }
      },
      start
    )
  }

  /** A room of which the first tick has run. */
  static async start<S extends AnyRoomSchema>(
    schema: S,
    handlers: RoomHandlers<S>,
    start: Partial<StartOrder> = {}
  ): Promise<PhysicsStage<S>> {
    const stage = new PhysicsStage(schema, handlers, start)
    // The library is ready when the room starts; the room still waits for the promise that says so.
    while (!stage.test.port.reports.some(([name]) => name === "ready" || name === "failed")) {
      await new Promise((resolve) => setImmediate(resolve))
      await settle()
    }
    stage.ticks(1)
    return stage
  }

  get room(): Room<S> {
    if (this.#room === null) throw new Error("no tick has run")
    return this.#room
  }

  ticks(count: number): void {
    for (let tick = 0; tick < count; tick++) this.test.port.pass(1000 / this.test.schema.tickHz)
  }
}
