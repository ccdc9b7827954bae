import type { MemoryRoomProcess } from "@atrium/actors/process/testing/MemoryRoomProcess"

import type { Host } from "./Host.ts"
import { Violation } from "./Violation.ts"

/** The process of a room, and where it runs. */
export interface Running {
  readonly room: string
  readonly epoch: number
  readonly version: number
  readonly host: Host
  readonly process: MemoryRoomProcess
}

/** The room processes of a world. One ends with its runner. */
export class Processes {
  #running: Array<Running> = []

  /** Two processes under one epoch could both write: the fence would let both through. */
  add(running: Running): void {
    const { room, epoch } = running
    this.#running.push(running)
    if (this.all.some((one) => one !== running && one.epoch === epoch)) {
      throw new Violation("one writer", `${room}: two processes run under epoch ${epoch}`)
    }
  }

  /** @returns the epoch under which it ran; `null` = it did not run */
  ended(process: MemoryRoomProcess): number | null {
    const epoch = this.#running.find((one) => one.process === process)?.epoch ?? null
    this.#running = this.#running.filter((one) => one.process !== process)
    return epoch
  }

  get all(): ReadonlyArray<Running> {
    return this.#running.filter(({ host }) => !host.dead)
  }

  of(room: string): ReadonlyArray<MemoryRoomProcess> {
    return this.all.filter((one) => one.room === room).map(({ process }) => process)
  }
}
