import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { MiB } from "@atrium/wire/limits/Limit"

import { slopeOf } from "./Slope.ts"

/** What the service weighs while every room sleeps, right after a garbage collection. */
export interface Sample {
  /** Cycles so far. */
  readonly cycles: number
  readonly heapBytes: number
  /** Memory of the service's own process that no file stands behind. */
  readonly anonBytes: number
  /** The same of the largest process of PostgreSQL: how many there are is not a leak's doing. */
  readonly backendBytes: number
}

/** The objects that exist while every room sleeps. They must be the same before and after. */
export interface Standing {
  /** Processes of the service by what they are. */
  readonly processes: Readonly<Record<string, number>>
  /** Open files of the service and its launcher, without those of the processes counted above. */
  readonly files: number
  /** Timers of the service that are running. */
  readonly timers: number
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>
  readonly databaseBytes: number
}

export interface RoomObjects {
  readonly roomId: string
  readonly version: number
  readonly snapshots: number
  readonly saves: number
}

export interface Growth {
  readonly perThousandBytes: number
  /** Over the part of the run that is judged. */
  readonly overAllBytes: number
}

export const measured = ["heapBytes", "anonBytes", "backendBytes"] as const
type Measured = (typeof measured)[number]

/**
 * Growth by more than this much in 1,000 cycles is a leak; so is ten times as much in a run that is
 * too short for a slope. What allocators have not given back yet is in the second and third.
 */
export const growthBounds: Readonly<Record<Measured, number>> = {
  heapBytes: MiB / 4,
  anonBytes: MiB,
  backendBytes: MiB / 2
}

/** Fits a line through the samples after the first third of the run. */
export const growthOf = (samples: ReadonlyArray<Sample>, what: Measured): Growth => {
  const last = samples.at(-1)?.cycles ?? 0
  const judged = samples.filter(({ cycles }) => cycles >= last / 3)
  const slope = slopeOf(judged.map((sample) => ({ x: sample.cycles, y: sample[what] })))
  const span = last - (judged[0]?.cycles ?? last)
  return { perThousandBytes: slope * 1000, overAllBytes: slope * span }
}

export const memoryLeaks = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> =>
  measured.flatMap((what) => {
    const { perThousandBytes, overAllBytes } = growthOf(samples, what)
    const bound = growthBounds[what]
    if (perThousandBytes <= bound || overAllBytes <= 10 * bound) return []
    return [`${what} grows by ${mibText(perThousandBytes)} MiB in 1,000 cycles`]
  })

export const mibText = (bytes: number): string => (bytes / MiB).toFixed(2)

/** Timers come and go by themselves: a retry, a ping, an actor that has not fallen asleep yet. */
const timersSpare = 8
/** The database grows by the rooms themselves, and by dead rows until they are swept. */
const databaseSpareBytes = 64 * MiB

/** Connections come as they are needed, up to the size of the service's pool. */
const cameByItself: ReadonlySet<string> = new Set(["backend", "passing"])

/** A room process that waits with the code of the one deployment that was used. */
const prepared = 1

/** @param rooms the rooms that were made in between */
export const standingLeaks = (
  before: Standing,
  after: Standing,
  rooms: number
): ReadonlyArray<string> => {
  const leaks: Array<string> = []
  for (const kind of keysOf(before.processes, after.processes)) {
    if (cameByItself.has(kind)) continue
    const [was, is] = [before.processes[kind] ?? 0, after.processes[kind] ?? 0]
    if (is !== was + (kind === "room" ? prepared : 0)) {
      leaks.push(`processes: ${was} ${kind} before, ${is} after`)
    }
  }
  if (after.files > before.files) {
    leaks.push(`files: ${before.files} open before, ${after.files} after`)
  }
  const timersMost = before.timers + rooms + timersSpare
  if (after.timers > timersMost) {
    leaks.push(`timers: ${before.timers} before, ${after.timers} after`)
  }
  for (const table of keysOf(before.rows, after.rows)) {
    // Objects are counted by room.
    if (table === "objects") continue
    const made = table === "rooms" ? rooms : 0
    const [was, is] = [before.rows[table] ?? 0, after.rows[table] ?? 0]
    if (is !== was + made) leaks.push(`rows: ${table} has ${is}, not ${was + made}`)
  }
  const grownBytes = after.databaseBytes - before.databaseBytes
  if (grownBytes > databaseSpareBytes) {
    leaks.push(`the database grew by ${mibText(grownBytes)} MiB`)
  }
  return leaks
}

/** Faults of stored objects: too few or too many snapshots or saves of a room, or objects of an unknown room. */
export const objectLeaks = (
  objects: ReadonlyArray<RoomObjects>,
  roomIds: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...roomIds.flatMap((roomId) =>
    objects.some((row) => row.roomId === roomId && row.snapshots > 0)
      ? []
      : [`objects: ${roomId} has no snapshot`]
  ),
  ...objects.flatMap(({ roomId, version, snapshots, saves }) => {
    const where = `objects: ${roomId} version ${version}`
    if (!roomIds.includes(roomId)) return [`${where} belongs to no room`]
    if (snapshots > 1) return [`${where} has ${snapshots} snapshots`]
    const most = RoomLimits.saveGenerations.max
    return saves > most ? [`${where} has ${saves} saves, at most ${most}`] : []
  })
]

const keysOf = (...records: ReadonlyArray<Readonly<Record<string, number>>>) =>
  [...new Set(records.flatMap((record) => Object.keys(record)))].toSorted()
