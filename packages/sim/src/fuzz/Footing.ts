import { type RunningService, until } from "@atrium/api/testing/RunningService"
import { MiB } from "@atrium/domain/Limits"

import type { ServiceInspector } from "../soak/ServiceInspector.ts"
import { anonBytesOf, openFilesOf, serviceProcesses } from "../soak/ServiceProcesses.ts"

/** What a service holds when nobody but the witness is there. */
export interface Footing {
  readonly heapBytes: number
  readonly anonBytes: number
  readonly timers: number
  readonly files: number
  readonly rooms: number
}

/** Time for sessions to end and rooms to sleep. */
const SettleMs = 40_000
/** Looks in a row that must agree. */
const SteadyLooks = 5
const HeapGrowthMax = 12 * MiB
/** The heap that was needed at the worst moment stays with the process for a while. */
const AnonGrowthMax = 160 * MiB
/** Connections to PostgreSQL, timers of pools: they come and go by themselves. */
const FilesGrowthMax = 12
const TimersGrowthMax = 8

const gauge = async (service: RunningService, name: string): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN)
}

/** Waits until only the witness and its room are left, and looks at what there is. Errors: `Error`. */
export const settled = async (
  service: RunningService,
  inspector: ServiceInspector
): Promise<Footing> => {
  let steady = 0
  let rooms = -1
  await until(
    "the service is at rest",
    async () => {
      const now = serviceProcesses(service.pid).filter(({ kind }) => kind === "room").length
      const rest =
        (await gauge(service, "atrium_sockets")) === 1 &&
        (await gauge(service, "atrium_rooms_awake")) === 1
      steady = rest && now === rooms ? steady + 1 : 0
      rooms = now
      return steady >= SteadyLooks
    },
    SettleMs
  )
  const { heapBytes, timers } = await inspector.look()
  const files = openFilesOf(service.pid)
  return { heapBytes, timers, files, rooms, anonBytes: anonBytesOf(service.pid) }
}

/** What has grown between two moments of rest and may not. */
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
