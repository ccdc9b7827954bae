import { utf8Length } from "@atrium/wire/text/Utf8"
import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"

import type { Room, VoiceGroupNames } from "./Room.ts"
import type { RoomCore } from "./RoomCore.ts"

/** `room.voice`. */
export const voiceOf = (core: RoomCore): Room["voice"] => ({
  groups: (client, groups) => {
    if (core.schema.voice === null) {
      throw new Error("voice.groups: the schema of the room declares no voice")
    }
    const read = groups === null ? null : groupsOf(groups)
    // It may have left while room code waited for something.
    if (core.sessions.byId(client.id)?.client !== client) return
    core.voice.set(client.id, read)
    core.markChanged()
    core.touch()
  }
})

const groupsOf = (given: Exclude<Parameters<Room["voice"]["groups"]>[1], null>): VoiceGroups => {
  if (typeof given === "string" || Array.isArray(given)) {
    const both = namesOf("voice.groups", given)
    return { speaks: both, hears: both }
  }
  if (typeof given !== "object" || !("speaks" in given)) {
    throw new TypeError("voice.groups: must be a name, a list of names, or { speaks, hears }")
  }
  return {
    speaks: namesOf("voice.groups.speaks", given.speaks),
    hears: namesOf("voice.groups.hears", given.hears)
  }
}

const namesOf = (what: string, given: VoiceGroupNames): ReadonlyArray<string> => {
  // Room code may be JavaScript.
  const names: ReadonlyArray<unknown> = typeof given === "string" ? [given] : given
  if (!Array.isArray(names)) throw new TypeError(`${what}: must be a name or a list of names`)
  const { max } = VoiceLimits.voiceGroups
  if (names.length > max) throw new RangeError(`${what}: ${names.length} groups are over ${max}`)
  return names.map((name: unknown) => {
    const bytes = typeof name === "string" ? utf8Length(name) : 0
    if (typeof name === "string" && bytes > 0 && bytes <= VoiceLimits.voiceGroupBytes.max)
      return name.toWellFormed()
    throw new RangeError(`${what}: a name has 1 to ${VoiceLimits.voiceGroupBytes.max} bytes`)
  })
}
