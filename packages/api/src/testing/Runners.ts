import { freePort } from "@atrium/postgres/EmbeddedPostgres"
import { Effect } from "effect"

import type { RunningService, ServiceHome } from "./RunningService.ts"

/** Starts one more runner of a cluster: the runners of a home share its database. */
export const startRunner = async (home: ServiceHome): Promise<RunningService> => {
  const port = await Effect.runPromise(freePort)
  return home.start({ env: { ATRIUM_RUNNER_ADDRESS: `127.0.0.1:${port}` } })
}
