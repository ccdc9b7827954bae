import { Context, Effect } from "effect"

/**
 * Waits until a server can be reached. It always can, as it lives in this process: whoever plays a
 * server that is out of reach says otherwise. What waits has had no effect yet. Source: D-49.
 */
export const ServerReach = Context.Reference<(serverId: string) => Effect.Effect<void>>(
  "@atrium/actors/cluster/ServerReach",
  { defaultValue: () => () => Effect.void }
)
