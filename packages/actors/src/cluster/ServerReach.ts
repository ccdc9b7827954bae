import { Context, Effect } from "effect"

/**
 * Waits until a server can be reached. It always can, as it lives in this process; test mode may put it
 * out of reach. An order that waits has had no effect yet. Source: D-49.
 */
export const ServerReach = Context.Reference<(serverId: string) => Effect.Effect<void>>(
  "@atrium/actors/cluster/ServerReach",
  { defaultValue: () => () => Effect.void }
)
