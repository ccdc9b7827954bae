import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"
import { utf8Length } from "@atrium/wire/text/Utf8"
import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"

/** The groups that a client has from now on; `null` = none. */
export interface VoiceChange {
  readonly sessionId: string
  readonly groups: VoiceGroups | null
}

export const voiceChangesText = (changes: ReadonlyArray<VoiceChange>): string =>
  JSON.stringify(
    changes.map(({ sessionId, groups }) =>
      groups === null ? [sessionId] : [sessionId, groups.speaks, groups.hears]
    )
  )

/** Reads what a room process says of its groups. @returns `null` = no room of ours says that */
export const readVoiceChanges = (json: string): ReadonlyArray<VoiceChange> | null => {
  const entries = listIn(json)
  if (entries === null || entries.length > changesMax) return null
  const changes = entries.map(changeOf)
  return changes.every((change) => change !== null) ? changes : null
}

/** All who can be in the room, and as many who have just left it. */
const changesMax = 2 * SchemaLimits.maxClients.max

const listIn = (json: string): ReadonlyArray<unknown> | null => {
  try {
    const entries: unknown = JSON.parse(json)
    return Array.isArray(entries) ? entries : null
  } catch {
    return null
  }
}

const changeOf = (entry: unknown): VoiceChange | null => {
  if (!Array.isArray(entry)) return null
  const [sessionId, speaks, hears]: ReadonlyArray<unknown> = entry
  if (typeof sessionId !== "string") return null
  if (entry.length === 1) return { sessionId, groups: null }
  return areGroups(speaks) && areGroups(hears) ? { sessionId, groups: { speaks, hears } } : null
}

const areGroups = (names: unknown): names is ReadonlyArray<string> =>
  Array.isArray(names) &&
  names.length <= VoiceLimits.voiceGroups.max &&
  names.every(
    (name) =>
      typeof name === "string" && name !== "" && utf8Length(name) <= VoiceLimits.voiceGroupBytes.max
  )
