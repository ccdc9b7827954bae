import { sleep } from "@atrium/api/testing/load/Tasks"
import { figureIn, metricsText } from "@atrium/api/testing/Runners"
import { type RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { MiB } from "@atrium/wire/limits/Limit"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import type { Inside, ServiceInspector } from "../soak/ServiceInspector.ts"
import { anonBytesOf, openFilesOf, serviceProcesses } from "../soak/ServiceProcesses.ts"

/** Resources of a service at rest, while only the witness is connected. */
export interface Footing {
  readonly heapBytes: number
  readonly anonBytes: number
  readonly timers: number
  readonly files: number
  readonly rooms: number
}

/** Time for sessions to end and rooms to sleep. */
const SettleMs = 40_000
/** Longer than any wait of a join: what has not fallen by then stays. */
const LookEveryMs = RuntimeLimits.roomJoin.ms + 1_000
const TimersNoise = 4
/** Looks in a row that must agree. */
const SteadyLooks = 5
const HeapGrowthMax = 12 * MiB
/** The heap that was needed at the worst moment stays with the process for a while. */
const AnonGrowthMax = 160 * MiB
/** Connections to PostgreSQL, timers of pools: they come and go by themselves. */
const FilesGrowthMax = 12
const TimersGrowthMax = 8

const gauges = async (
  service: RunningService,
  names: ReadonlyArray<string>
): Promise<ReadonlyArray<number>> => {
  const text = await metricsText(service)
  return names.map((name) => figureIn(text, name) ?? Number.NaN)
}

/** Waits until only the witness and its room are left, then measures the resources. Errors: `Error`. */
export const settled = async (
  service: RunningService,
  inspector: ServiceInspector
): Promise<Footing> => {
  let steady = 0
  let rooms = -1
  let seen = ""
  const atRest = async (): Promise<boolean> => {
    const now = serviceProcesses(service.pid).filter(({ kind }) => kind === "room").length
    const [sockets, awake] = await gauges(service, ["atrium_sockets", "atrium_rooms_awake"])
    seen = `${sockets} sockets, ${awake} rooms awake, ${now} room processes`
    steady = sockets === 1 && awake === 1 && now === rooms ? steady + 1 : 0
    rooms = now
    return steady >= SteadyLooks
  }
  await until("the service is at rest", atRest, SettleMs).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${seen} at last`)
  })
  const { heapBytes, timers } = await lookAtRest(inspector)
  const files = openFilesOf(service.pid)
  return { heapBytes, timers, files, rooms, anonBytes: anonBytesOf(service.pid) }
}

/** Joins of clients that are gone end with their time: until then their timers are there. */
const lookAtRest = async (inspector: ServiceInspector): Promise<Inside> => {
  let inside = await inspector.look()
  const steady = async (): Promise<boolean> => {
    const before = inside
    await sleep(LookEveryMs)
    inside = await inspector.look()
    return inside.timers >= before.timers - TimersNoise
  }
  await until("the last timers end", steady, SettleMs)
  return inside
}

/** Resources that grew beyond their bound between two moments of rest. */
export const leaksOf = (before: Footing, after: Footing): ReadonlyArray<string> =>
  [
    ["heap bytes", before.heapBytes, after.heapBytes, HeapGrowthMax] as const,
    ["anonymous bytes", before.anonBytes, after.anonBytes, AnonGrowthMax] as const,
    ["open files", before.files, after.files, FilesGrowthMax] as const,
    ["timers", before.timers, after.timers, TimersGrowthMax] as const,
    ["room processes", before.rooms, after.rooms, 0] as const
  ].flatMap(([what, was, is, max]) =>
    is - was > max ? [`${what} went from ${was} to ${is}, more than ${max} up`] : []
  )

export const footingLine = ({ heapBytes, anonBytes, timers, files, rooms }: Footing): string =>
  `heap ${(heapBytes / MiB).toFixed(1)} MiB, anonymous ${(anonBytes / MiB).toFixed(1)} MiB, ` +
  `${files} files, ${timers} timers, ${rooms} room processes`
