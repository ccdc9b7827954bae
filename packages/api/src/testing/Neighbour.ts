import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

import type { RunningService } from "./RunningService.ts"

/** The neighbour's ticks since it was last asked. */
export interface Lateness {
  /** How late each tick was by the clock of the neighbour's own process, in milliseconds. */
  readonly lateMs: ReadonlyArray<number>
  /** How late the ticks reached the neighbour's client. */
  readonly arrivedLateMs: ReadonlyArray<number>
}

/** A room that keeps time, with a client in a process of its own. */
export interface Neighbour {
  /** @param ticks it is told when so many have come, at once unless said otherwise */
  readonly lateness: (ticks?: number) => Promise<Lateness>
  readonly leave: () => Promise<void>
}

const neighbourFile = fileURLToPath(new URL("./NeighbourChild.ts", import.meta.url))

/** @param service one whose project has the room type `metronome` */
export const makeNeighbour = async (
  service: Pick<RunningService, "url" | "project">
): Promise<Neighbour> => {
  const child = fork(neighbourFile, [service.url, service.project], { env: {} })
  await once(child, "message")
  return {
    lateness: async (ticks = 0) => {
      child.send(ticks)
      const [told] = await once(child, "message")
      // Written by the child.
      return told as Lateness
    },
    leave: async () => {
      child.disconnect()
      await once(child, "exit")
    }
  }
}
