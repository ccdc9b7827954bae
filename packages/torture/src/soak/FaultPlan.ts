import { Chance } from "@atrium/api/testing/Chance"

/** The faults that a running service suffers. */
export type FaultKind =
  /** SIGKILL for the process of a room, or for the spare one. */
  | "room"
  /** SIGKILL for the service, which is started again at once on the same folder. */
  | "service"
  /** SIGTERM for the service, which stores every room and is started again. */
  | "drain"
  /** SIGKILL for the process of one connection to PostgreSQL; PostgreSQL then drops all of them. */
  | "backend"
  /** SIGKILL for the first process of PostgreSQL. */
  | "postmaster"
  /** A new version of the rooms' code is deployed. */
  | "redeploy"
  /** The connection of one client is lost. */
  | "cut"

export interface PlannedFault {
  readonly kind: FaultKind
  /** From the fault before; the span in which a service is started again does not count. */
  readonly afterMs: number
  /** In [0, 1): which one of those that it may hit. */
  readonly pick: number
}

export interface PlannedRound {
  readonly faults: ReadonlyArray<PlannedFault>
  /** How the service ends when the clients have done their work; then the ledger is read. */
  readonly ending: "service" | "drain"
}

export interface PlanOptions {
  readonly seed: number
  readonly rounds: number
  readonly roundMs: number
}

const repeat = (kind: FaultKind, times: number): ReadonlyArray<FaultKind> =>
  Array.from({ length: times }, () => kind)

/** Every kind comes as often as here, in any order, before the deck is shuffled again. */
const deck: ReadonlyArray<FaultKind> = [
  ...repeat("room", 4),
  ...repeat("service", 2),
  ...repeat("cut", 2),
  ...(["drain", "backend", "postmaster", "redeploy"] as const)
]

/** Some faults come while the one before is still being mended. */
const hastyShare = 0.3
const hastyMs = 300
const quietMs = { least: 600, most: 3600 }

/** The whole plan, from the seed alone. */
export const planFaults = ({ seed, rounds, roundMs }: PlanOptions): ReadonlyArray<PlannedRound> =>
  Array.from({ length: rounds }, (_, round) => planRound(Chance.of(seed, "faults", round), roundMs))

const planRound = (chance: Chance, roundMs: number): PlannedRound => {
  const shuffled = (): Array<FaultKind> => {
    const kinds = [...deck]
    const drawn: Array<FaultKind> = []
    while (kinds.length > 0) drawn.push(...kinds.splice(chance.below(kinds.length), 1))
    return drawn
  }
  const faults: Array<PlannedFault> = []
  let kinds = shuffled()
  for (let atMs = 0; ;) {
    const afterMs =
      chance.share() < hastyShare
        ? chance.below(hastyMs)
        : quietMs.least + chance.below(quietMs.most - quietMs.least)
    atMs += afterMs
    if (atMs >= roundMs) break
    if (kinds.length === 0) kinds = shuffled()
    const kind = kinds.shift()
    if (kind !== undefined) faults.push({ kind, afterMs, pick: chance.share() })
  }
  return { faults, ending: chance.share() < 0.5 ? "service" : "drain" }
}
