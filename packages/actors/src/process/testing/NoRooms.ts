import type { ProcessPool } from "../ProcessPool.ts"

/** The parts of a pool for tests that start no room; stacks stay as they are. */
export const noRooms: Pick<ProcessPool["Service"], "take" | "mapStack" | "startMedia"> = {
  take: () => {
    throw new Error("no room starts here")
  },
  startMedia: () => {
    throw new Error("no media start here")
  },
  mapStack: (_bundle, line) => line
}
