import { until } from "@atrium/domain/testing/Until"

import { keptPort } from "./KeptPorts.ts"
import type { RunningService, ServiceHome, ServiceOptions } from "./RunningService.ts"

/** Starts one more runner of a cluster: the runners of a home share its database. */
export const startRunner = async (
  home: ServiceHome,
  { env = {}, ...options }: Partial<ServiceOptions> = {}
): Promise<RunningService> => {
  const address = `127.0.0.1:${await keptPort()}`
  return home.start({ ...options, env: { ATRIUM_RUNNER_ADDRESS: address, ...env } })
}

/** The answer of `/metrics`. */
export const metricsText = async (on: Pick<RunningService, "url">): Promise<string> =>
  (await fetch(`${on.url}/metrics`)).text()

/** A figure in an answer of `/metrics`, by its name and its labels; `null` = there is none. */
export const figureIn = (text: string, series: string): number | null => {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}

/** A figure of `/metrics`, by its name and its labels; 0 = there is none. */
export const figure = async (on: Pick<RunningService, "url">, series: string): Promise<number> =>
  figureIn(await metricsText(on), series) ?? 0

/** The figure of each of the runners, in their order. */
export const figures = (
  runners: ReadonlyArray<Pick<RunningService, "url">>,
  name: string
): Promise<ReadonlyArray<number>> => Promise.all(runners.map((each) => figure(each, name)))

/** Each runner has its part of the 300 shards, and the 300 of its home: no actor moves any more. */
export const shareShards = (runners: ReadonlyArray<RunningService>): Promise<true> =>
  until("the runners hold all shards", async () => {
    const held = await figures(runners, "effect_cluster_shards")
    const all = held.reduce((sum, shards) => sum + shards, 0)
    return held.every((shards) => shards > 300) && all === 300 * (1 + runners.length)
  })

/** The runner that has the only awake room first, then the others, as soon as one room is awake in all. */
export const holderFirst = (
  runners: ReadonlyArray<RunningService>
): Promise<readonly [holder: RunningService, ...others: ReadonlyArray<RunningService>]> =>
  until("one runner has the only awake room", async () => {
    const awake = await figures(runners, "atrium_rooms_awake")
    const [holder, ...more] = runners.filter((_, at) => awake[at] === 1)
    if (holder === undefined || more.length > 0 || awake.some((rooms) => rooms > 1)) return false
    return [holder, ...runners.filter((each) => each !== holder)] as const
  })
