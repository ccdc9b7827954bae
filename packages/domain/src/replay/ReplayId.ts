import { Schema } from "effect"

/**
 * `rp_` and 32 base64url characters (24 bytes). It is the credential to watch, and the only one that may stand in a URL.
 * Source: D-57.
 */
const ReplayId = Schema.String.check(Schema.isPattern(/^rp_[A-Za-z0-9_-]{32}$/)).pipe(
  Schema.brand("ReplayId")
)

export const isReplayId = Schema.is(ReplayId)

/** The path at which a replay is read; a player is given the service's address and this. */
export const replayPath = (replayId: string): string => `/v1/replays/${replayId}`
