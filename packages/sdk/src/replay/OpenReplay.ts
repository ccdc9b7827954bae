import { fromDescriptor } from "@atrium/wire/schema/FromDescriptor"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { messageOf, RequestError } from "../client/ClientErrors.ts"
import { missingIn } from "../client/MissingIn.ts"
import { type PlatformPort, platformPort } from "../client/PlatformPort.ts"
import { Replay } from "./Replay.ts"
import { replayEndpointOf, ReplaySource } from "./ReplaySource.ts"

/**
 * Opens a clip or a recording: the `url` of `room.replay.clip()` at the service's address, or the address of its page. In
 * a browser it may be relative to the page's own. A recording that still runs is shown as far as it is stored.
 *
 * Rejects with a `RequestError`: the code of the service (`E_NOT_FOUND`: it has expired), `E_UNREACHABLE`, `E_PROTOCOL`
 * for bytes that are no replay, `E_SCHEMA_MISMATCH` for one of another schema. Rejects with an `Error` for a `url` that is
 * not the address of a replay.
 *
 * @param schema the game's own, for the types of the state. The replay may have more, not less. Without it, or with
 * `null`, every replay can be read.
 */
export const openReplay = <S extends AnyRoomSchema = AnyRoomSchema>(
  url: string | URL,
  schema: S | null = null
): Promise<Replay<S>> => openReplayBy(platformPort, url, schema)

/** The same for tests, which give their own port. */
export const openReplayBy = async <S extends AnyRoomSchema>(
  port: PlatformPort,
  url: string | URL,
  schema: S | null
): Promise<Replay<S>> => {
  const source = new ReplaySource(port, replayEndpointOf(url))
  const facts = await source.facts()
  const wire = wireOf(facts.descriptor)
  const missing = schema === null ? null : missingIn(schema, wire)
  if (missing !== null) throw new RequestError("E_SCHEMA_MISMATCH", `replay: ${missing}`)
  const replay = new Replay<S>({ port, source, facts, wire })
  await replay.seek(0)
  return replay
}

const wireOf = (descriptor: unknown): AnyRoomSchema => {
  try {
    return fromDescriptor(descriptor)
  } catch (error) {
    throw new RequestError("E_PROTOCOL", `replay: ${messageOf(error)}`)
  }
}
