import type { FanOutSize } from "./FanOut.ts"
import type { IdleCostSize } from "./IdleCost.ts"
import type { JoinsSize } from "./Joins.ts"
import type { ManagementSize } from "./Management.ts"
import type { StateSyncSize } from "./StateSync.ts"
import type { WakeSize } from "./Wake.ts"

/** How large each workload is. */
export interface BenchSizes {
  readonly fanOut: FanOutSize
  readonly stateSync: StateSyncSize
  readonly joins: JoinsSize
  readonly idleCost: IdleCostSize
  readonly wake: WakeSize
  readonly management: ManagementSize
}

/** What the goals are for, in less than five minutes on two cores. */
export const fullSizes: BenchSizes = {
  fanOut: {
    ...{ rooms: 20, clientsPerRoom: 16, perSecond: 20 },
    ...{ rounds: 3, seconds: 3, saturatedSeconds: 2, messagesUnderWay: 64 }
  },
  stateSync: { clients: 64, rounds: 3, seconds: 3 },
  joins: {
    ...{ rounds: 3, newRooms: 8, sequentialJoins: 100, hotJoins: 400 },
    ...{ stormRooms: 20, stormClients: 1000 }
  },
  idleCost: {
    ...{ rooms: 40, firstSockets: 1000, sockets: 5000, sleepingRooms: 40, idleSeconds: 21 }
  },
  wake: { sleepers: 10, wakes: 4, writers: 8, rounds: 3, seconds: 2 },
  management: {
    ...{ fewRooms: 1000, manyRooms: 10_000, readers: 8, lists: 20, rounds: 3, seconds: 2 }
  }
}

/** Just enough to see that everything works. */
export const quickSizes: BenchSizes = {
  fanOut: {
    ...{ rooms: 2, clientsPerRoom: 4, perSecond: 20 },
    ...{ rounds: 1, seconds: 0.5, saturatedSeconds: 0.3, messagesUnderWay: 16 }
  },
  stateSync: { clients: 2, rounds: 1, seconds: 0.5 },
  joins: {
    ...{ rounds: 1, newRooms: 1, sequentialJoins: 4, hotJoins: 4 },
    ...{ stormRooms: 1, stormClients: 8 }
  },
  idleCost: { rooms: 2, firstSockets: 4, sockets: 20, sleepingRooms: 2, idleSeconds: 0.5 },
  wake: { sleepers: 2, wakes: 1, writers: 2, rounds: 1, seconds: 0.5 },
  management: { fewRooms: 10, manyRooms: 100, readers: 2, lists: 2, rounds: 1, seconds: 0.3 }
}
