import type { Room } from "./Room.ts"
import type { ServiceCalls } from "./ServiceCalls.ts"

/** `room.lobby.setBackfill`: the service checks the number and stores it. */
export const backfillOf =
  (calls: ServiceCalls): Room["lobby"]["setBackfill"] =>
  async ({ seats }) => {
    await calls.call("match.backfill", { seats })
  }
