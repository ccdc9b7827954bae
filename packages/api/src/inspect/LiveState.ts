import type { RoomStates, StateLook } from "@atrium/actors/inspect/RoomStates"
import type { RoomStateLook } from "@atrium/domain/inspect/InspectApi"
import { InspectLimits } from "@atrium/domain/inspect/InspectLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { RoomNotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"

import { eventOf, type Look } from "../http/LiveStream.ts"

/** Reads the state of a room once. */
export const readState = Effect.fnUntraced(function* (states: RoomStates["Service"], key: RoomKey) {
  const look = yield* states.look(key, null)
  if (look === null) return yield* notThere
  return yield* shown(states, key, look)
})

/**
 * Looks at the state of a room again and again. A state that does not change is looked at less and less often, and
 * one that is large as often as its rate lets it, whether it is shown or not.
 */
export const stateLooks = (
  states: RoomStates["Service"],
  key: RoomKey
): Effect.Effect<Look, RoomNotFound> => {
  let known: string | null = null
  let schemaHash: string | null = null
  let waitMs: number = InspectLimits.liveStateEvery.ms
  return Effect.gen(function* () {
    const look = yield* states.look(key, known)
    if (look === null) return yield* notThere
    if (look.hash === known) {
      // An awake room has told the whole state to find that it is the same.
      const leastMs = look.live ? spanOf(look.bytes) : 0
      waitMs = Math.max(leastMs, Math.min(InspectLimits.liveStateIdle.ms, 2 * waitMs))
      return { text: "", againInMs: waitMs }
    }
    known = look.hash
    const row = yield* shown(states, key, look)
    const isSame = row.schemaHash === schemaHash
    schemaHash = row.schemaHash
    const text = eventOf("state", JSON.stringify(isSame ? { ...row, schema: null } : row))
    waitMs = Math.max(
      InspectLimits.liveStateEvery.ms,
      spanOf(text.length),
      look.live ? spanOf(look.bytes) : 0
    )
    return { text, againInMs: waitMs }
  })
}

/** The time until so many bytes may follow one another, told or only read. */
const spanOf = (bytes: number): number => {
  const { tokens, everyMs } = InspectLimits.liveStateRate
  return (bytes / tokens) * everyMs
}

const notThere = new RoomNotFound({ message: "no such room" })

const shown = Effect.fnUntraced(function* (
  states: RoomStates["Service"],
  key: RoomKey,
  look: StateLook
) {
  const found = yield* states.schemaOf(key, look)
  const row: RoomStateLook = {
    roomId: key.roomId,
    at: isoOf(look.atMs),
    live: look.live,
    type: look.type,
    version: look.version,
    schemaHash: found?.schemaHash ?? "",
    schema: found?.schema ?? null,
    hidden: found?.hidden ?? [],
    bytes: look.bytes,
    state: look.state === null ? null : Buffer.from(look.state).toString("base64")
  }
  return row
})
