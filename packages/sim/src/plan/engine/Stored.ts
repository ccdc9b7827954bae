import { deletesAtMs, type Retention, retentionInForce } from "@atrium/domain/rooms/Retention"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"

import type { Scenario } from "../../scenario/Scenario.ts"
import { EventHeap } from "./EventHeap.ts"
import type { Room } from "./RoomPool.ts"
import type { Usage } from "./Usage.ts"

/** A state that nobody comes back to. */
const abandoned = -1

/** What sleeping rooms have stored: a snapshot and save generations, until the sweep removes them. */
export class Stored {
  readonly #retention: Retention
  readonly #stateBytes: number
  /** By the moment at which a room may be deleted. */
  readonly #due = new EventHeap()
  /** Bytes of rooms that nobody comes back to, in the order of their moments. */
  readonly #bytes: Array<number> = []
  #first = 0

  constructor({ game }: Scenario) {
    this.#stateBytes = game.stateBytes
    this.#retention = retentionInForce({
      override: null,
      declared: game.retention === "forever" ? null : game.retention
    })
  }

  /** A room that is awake has one snapshot, and what it had. */
  woke(room: Room, usage: Usage): void {
    this.#set(room, usage)
  }

  /** A room sleeps: with a generation more for each ten minutes of change, and one for this. Source: D-48. */
  slept(room: Room, at: number, { usage, nowMs, returns }: Sleeping): void {
    const awakeMs = nowMs - room.wokeAtMs
    const made = 1 + Math.floor(awakeMs / RoomLimits.generationEvery.ms)
    room.generations = Math.min(RoomLimits.saveGenerations.max, room.generations + made)
    this.#set(room, usage)
    const dueMs = deletesAtMs(this.#retention, room.lastActiveMs)
    if (dueMs === null) return
    this.#due.push({ atMs: dueMs, kind: 0, subject: returns ? at : abandoned })
    if (!returns) this.#bytes.push(room.storedBytes)
  }

  /** Rooms whose moment has come, as the sweep of every 15 minutes sees them. */
  sweep(nowMs: number, { usage, mayRemove }: Sweeping): void {
    while (this.#due.nextAtMs <= nowMs) {
      const { atMs, subject } = this.#due.pop()
      if (subject === abandoned) usage.storedBytes -= this.#bytes[this.#first++] ?? 0
      else mayRemove(subject, (room) => deletesAtMs(this.#retention, room.lastActiveMs) === atMs)
    }
    if (this.#first > this.#bytes.length / 2) {
      this.#bytes.splice(0, this.#first)
      this.#first = 0
    }
  }

  #set(room: Room, usage: Usage): void {
    const bytes = this.#stateBytes * (1 + room.generations)
    usage.storedBytes += bytes - room.storedBytes
    room.storedBytes = bytes
  }
}

interface Sleeping {
  readonly usage: Usage
  readonly nowMs: number
  /** Players come back to the room by its name. */
  readonly returns: boolean
}

interface Sweeping {
  readonly usage: Usage
  /** Removes a room that players come back to, if it still sleeps and is due. */
  readonly mayRemove: (at: number, isDue: (room: Room) => boolean) => void
}
