import type { FanOutSize } from "./FanOut.ts"
import type { WakeSize } from "./Wake.ts"

/** How large each workload is. */
export interface BenchSizes {
  readonly fanOut: FanOutSize
  readonly wake: WakeSize
}

/** What the goals are for, in less than five minutes on two cores. */
export const fullSizes: BenchSizes = {
  fanOut: {
    ...{ rooms: 20, clientsPerRoom: 16, perSecond: 20 },
    ...{ rounds: 3, seconds: 4, saturatedSeconds: 3, messagesUnderWay: 64 }
  },
  wake: { sleepers: 10, wakes: 4, writers: 8, rounds: 3, seconds: 2 }
}

/** Just enough to see that everything works. */
export const quickSizes: BenchSizes = {
  fanOut: {
    ...{ rooms: 2, clientsPerRoom: 4, perSecond: 20 },
    ...{ rounds: 1, seconds: 0.5, saturatedSeconds: 0.3, messagesUnderWay: 16 }
  },
  wake: { sleepers: 2, wakes: 1, writers: 2, rounds: 1, seconds: 0.5 }
}
