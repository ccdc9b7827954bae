import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { SecondMs } from "@atrium/wire/limits/Limit"

import type { Ground } from "./Ground.ts"

/**
 * Rooms that a fault in the code keeps up without players: each sets an alarm that rings as soon as it
 * sleeps. They go to sleep and wake together, so one event stands for all of them. A wall refuses the
 * wake, as it refuses every other, and the alarm rings again a minute later.
 */
export class Runaway {
  readonly #ground: Ground
  readonly #rooms: ReadonlyArray<number>

  constructor(ground: Ground, rooms: number) {
    this.#ground = ground
    this.#rooms = Array.from({ length: rooms }, () => ground.rooms.make("runaway"))
  }

  /** The rooms sleep, and their alarms ring. @returns the time until the next such moment, ms */
  ring(): number {
    const { rooms, scenario, walls } = this.#ground
    const up = this.#rooms.filter((room) => rooms.isAwake(room))
    // Nothing refuses those that are up: they sleep and wake at one moment, and keep their places.
    if (walls.atWake() === null) this.#ground.wokeAgain(up.length)
    else for (const room of up) this.#ground.putAway(room, "empty")
    for (const room of this.#rooms) {
      if (rooms.isAwake(room)) continue
      const refused = this.#ground.wake(room)
      if (refused !== null) this.#ground.refuse(refused, 0)
    }
    const isUp = this.#rooms.some((room) => rooms.isAwake(room))
    return isUp ? Math.max(SecondMs, scenario.game.hibernateAfter) : RoomLimits.alarmRetry.ms
  }

  /** The wall of data out puts every room to sleep. */
  stop(): void {
    for (const room of this.#rooms) {
      if (this.#ground.rooms.isAwake(room)) this.#ground.putAway(room, "dataOut")
    }
  }
}
