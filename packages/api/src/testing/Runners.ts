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

/** A figure of `/metrics` without labels; 0 = there is none. */
export const figure = async (on: Pick<RunningService, "url">, name: string): Promise<number> => {
  const text = await (await fetch(`${on.url}/metrics`)).text()
  const line = text.split("\n").find((each) => each.startsWith(`${name} `))
  return Number(line?.split(" ")[1] ?? 0)
}

/** Both runners have their part of the shards, and those of their homes: no actor moves any more. */
export const shareShards = (runners: readonly [RunningService, RunningService]): Promise<true> =>
  until("the two runners hold all 300 shards, and each those of its home", async () => {
    const [first = 0, second = 0] = await Promise.all(
      runners.map((each) => figure(each, "effect_cluster_shards"))
    )
    return first > 300 && second > 300 && first + second === 900
  })

/** The runner of the two that has the only awake room first, then the other one. */
export const holderFirst = async ([one, other]: readonly [RunningService, RunningService]): Promise<
  readonly [holder: RunningService, other: RunningService]
> => ((await figure(one, "atrium_rooms_awake")) === 1 ? [one, other] : [other, one])
