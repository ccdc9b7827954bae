import { DayMs } from "../limits/Limit.ts"
import { RoomClasses, type RoomClass } from "../rooms/RoomClass.ts"
import { durationMs } from "../time/Duration.ts"
import { VoiceLimits } from "../voice/VoiceLimits.ts"
import type { ReplayDefinition, SchemaDefinition } from "./Definition.ts"
import type { AnyRoomSchema, ReplaySettings } from "./RoomSchema.ts"
import { SchemaError } from "./SchemaError.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import { unknownKey } from "./UnknownKey.ts"

/** The settings of a definition besides its shapes. */
export type SettingsDefinition = Omit<
  SchemaDefinition,
  "entities" | "singletons" | "messages" | "rpc" | "player"
>

type Settings = Pick<
  AnyRoomSchema,
  | "type"
  | "class"
  | "maxClients"
  | "tickHz"
  | "hibernateAfterMs"
  | "reconnectForMs"
  | "retention"
  | "queue"
  | "voice"
  | "replay"
  | "project"
>

const NamePattern = /^[a-z0-9._-]+$/
// The pattern of domain/Ids, which cannot be imported here: it needs effect.
const ProjectPattern = /^p_[0-9a-f]{16}$/

const isClass = (value: unknown): value is RoomClass =>
  typeof value === "string" && Object.hasOwn(RoomClasses, value)

const demandName = (what: string, name: unknown, max: number): void => {
  if (typeof name === "string" && NamePattern.test(name) && name.length <= max) return
  throw new SchemaError(`${what}: must be 1 to ${max} of a-z 0-9 . _ -`)
}

/** Fills in the defaults of everything that is not a shape. Throws `SchemaError`. */
export const checkSettings = (given: SettingsDefinition): Settings => {
  const {
    type,
    class: roomClass = "standard",
    retention = null,
    queue = null,
    project = null
  } = given
  demandName("type", type, SchemaLimits.schemaNameChars.max)
  if (!isClass(roomClass)) throw new SchemaError("class: must be standard, large or xlarge")
  if (retention !== null && (typeof retention !== "string" || durationMs(retention) === null)) {
    throw new SchemaError("retention: must be a duration such as 30d, or null for ever")
  }
  if (queue !== null) demandName("queue", queue, SchemaLimits.queueNameChars.max)
  if (project !== null && (typeof project !== "string" || !ProjectPattern.test(project))) {
    throw new SchemaError("project: must be p_ and 16 hex characters")
  }
  return {
    type,
    class: roomClass,
    maxClients: whole("maxClients", given.maxClients ?? SchemaLimits.maxClientsDefault.max, {
      min: 1,
      max: SchemaLimits.maxClients.max
    }),
    tickHz: whole("tickHz", given.tickHz ?? 0, { min: 0, max: SchemaLimits.tickHz.max }),
    hibernateAfterMs: whole(
      "hibernateAfterMs",
      given.hibernateAfterMs ?? SchemaLimits.hibernateAfter.ms,
      { min: 0, max: SchemaLimits.hibernateAfterMs.ms }
    ),
    reconnectForMs: whole("reconnectForMs", given.reconnectForMs ?? SchemaLimits.reconnectFor.ms, {
      min: 0,
      max: SchemaLimits.reconnectForMs.ms
    }),
    retention,
    queue,
    voice: voiceIn(given.voice),
    replay: given.replay === undefined ? null : replayOf(given.replay),
    project
  }
}

const voiceIn = (voice: SchemaDefinition["voice"] | null): AnyRoomSchema["voice"] => {
  if (voice === undefined || voice === null) return null
  if (typeof voice !== "object") throw new SchemaError("voice: must be an object")
  const { min, max } = VoiceLimits.voiceParticipants
  return { participants: whole("voice.participants", voice.participants, { min, max }) }
}

/** Errors: `SchemaError` past the bounds. Source: D-44, T-37. */
const replayOf = (given: ReplayDefinition): ReplaySettings => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new SchemaError("replay: must be an object")
  }
  const problem = unknownKey(given, ["seconds", "ttl"])
  if (problem !== null) throw new SchemaError(`replay.${problem}`)
  const { replaySecondsDefault, replaySeconds, replayTtl } = SchemaLimits
  const { seconds = replaySecondsDefault.max, ttl = `${replayTtl.ms / DayMs}d` } = given
  if (typeof ttl !== "string" || durationMs(ttl) === null) {
    throw new SchemaError("replay.ttl: must be a duration of 1m to 3650d, such as 30d")
  }
  return Object.freeze({ seconds: whole("replay.seconds", seconds, replaySeconds), ttl })
}

const whole = (
  name: string,
  value: number,
  range: { readonly min: number; readonly max: number }
): number => {
  if (Number.isInteger(value) && value >= range.min && value <= range.max) return value
  throw new SchemaError(`${name}: must be a whole number from ${range.min} to ${range.max}`)
}
