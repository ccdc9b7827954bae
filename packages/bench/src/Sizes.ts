import type { FanOutSize } from "./FanOut.ts"
import type { IdleCostSize } from "./IdleCost.ts"
import type { JoinsSize } from "./Joins.ts"
import type { ManagementSize } from "./Management.ts"
import type { PlayerDataSize } from "./PlayerData.ts"
import type { ReplayCostSize } from "./ReplayCost.ts"
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
  readonly playerData: PlayerDataSize
  readonly replayCost: ReplayCostSize
}

/** `quick` proves that everything runs, `full` is what the goals are for, `thorough` has what takes longer. */
export type Extent = "quick" | "full" | "thorough"

/** About ten minutes on two cores. */
const full: BenchSizes = {
  fanOut: {
    rooms: 20,
    clientsPerRoom: 16,
    perSecond: 20,
    rounds: 3,
    seconds: 2,
    saturatedSeconds: 2,
    messagesUnderWay: 64
  },
  stateSync: { clients: 64, rounds: 3, seconds: 2 },
  joins: {
    rounds: 3,
    newRooms: 8,
    sequentialJoins: 100,
    hotJoins: 400,
    stormRooms: 20,
    stormClients: 1000,
    manyRooms: { relayRooms: [50, 300], awakeRooms: [0, 50], probes: 20, fillSeconds: 30 }
  },
  idleCost: {
    rooms: 40,
    firstSockets: 1000,
    sockets: 5000,
    sleepingRooms: 40,
    relayRooms: 200,
    idleSeconds: 21
  },
  wake: {
    sleepers: 20,
    wakes: 5,
    rounds: 3,
    snapshots: { fewWriters: 8, writers: 80, rounds: 3, seconds: 2 }
  },
  management: { fewRooms: 1000, manyRooms: 10_000, readers: 8, lists: 7, rounds: 3, seconds: 2 },
  playerData: { rooms: 8, calls: 50, waits: 20, rounds: 5 },
  replayCost: {
    fanOut: { rooms: 10, clientsPerRoom: 16, perSecond: 20, rounds: 16, seconds: 3 },
    stateSync: { clients: 64, rounds: 6, seconds: 10 }
  }
}

const quick: BenchSizes = {
  fanOut: {
    rooms: 2,
    clientsPerRoom: 4,
    perSecond: 20,
    rounds: 1,
    seconds: 0.5,
    saturatedSeconds: 0.3,
    messagesUnderWay: 16
  },
  stateSync: { clients: 2, rounds: 1, seconds: 0.5 },
  joins: {
    rounds: 1,
    newRooms: 1,
    sequentialJoins: 4,
    hotJoins: 4,
    stormRooms: 1,
    stormClients: 8,
    manyRooms: { relayRooms: [1, 3], awakeRooms: [0, 1], probes: 2, fillSeconds: 10 }
  },
  idleCost: {
    rooms: 2,
    firstSockets: 4,
    sockets: 20,
    sleepingRooms: 2,
    relayRooms: 4,
    idleSeconds: 0.5
  },
  wake: {
    sleepers: 2,
    wakes: 1,
    rounds: 1,
    snapshots: { fewWriters: 1, writers: 2, rounds: 1, seconds: 0.5 }
  },
  management: { fewRooms: 10, manyRooms: 100, readers: 2, lists: 2, rounds: 1, seconds: 0.3 },
  playerData: { rooms: 2, calls: 10, waits: 3, rounds: 1 },
  replayCost: {
    fanOut: { rooms: 2, clientsPerRoom: 4, perSecond: 20, rounds: 2, seconds: 0.5 },
    stateSync: { clients: 2, rounds: 2, seconds: 0.5 }
  }
}

/** Four minutes at the most to fill a service with so many rooms; rooms without memory for them are left out. W8 takes ten minutes. */
const thorough: BenchSizes = {
  ...full,
  joins: {
    ...full.joins,
    manyRooms: {
      relayRooms: [50, 300, 1000, 2000],
      awakeRooms: [0, 50, 300, 1000, 2000],
      probes: 20,
      fillSeconds: 240
    }
  },
  // A goal of 3 % is less than two rounds differ by: their median needs many.
  replayCost: {
    fanOut: { ...full.replayCost.fanOut, rounds: 40 },
    stateSync: { ...full.replayCost.stateSync, rounds: 24 }
  }
}

export const sizes: Readonly<Record<Extent, BenchSizes>> = { quick, full, thorough }
