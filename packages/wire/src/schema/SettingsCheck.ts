import { PhysicsLimits } from "../physics/PhysicsLimits.ts"
import { RoomClasses } from "../rooms/RoomClass.ts"
import { durationMs } from "../time/Duration.ts"
import { VoiceLimits } from "../voice/VoiceLimits.ts"
import { SchemaError } from "./SchemaError.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import { type Settings, type SettingsDefinition, withSettings } from "./Settings.ts"

const NamePattern = /^[a-z0-9._-]+$/
// The pattern of domain/Ids, which cannot be imported here: it needs effect.
const ProjectPattern = /^p_[0-9a-f]{16}$/

// Plain JavaScript, and a descriptor, may hold anything.

const demandName = (what: string, name: unknown, max: number): void => {
  if (typeof name === "string" && NamePattern.test(name) && name.length <= max) return
  throw new SchemaError(`${what}: must be 1 to ${max} of a-z 0-9 . _ -`)
}

/** Throws `SchemaError` for a setting that is out of its bounds. */
export const checkSettings = (given: SettingsDefinition): void => {
  const settings = withSettings(given)
  const { retention, queue, project } = settings
  const roomClass: unknown = settings.class
  demandName("type", settings.type, SchemaLimits.schemaNameChars.max)
  if (typeof roomClass !== "string" || !Object.hasOwn(RoomClasses, roomClass)) {
    throw new SchemaError("class: must be standard, large or xlarge")
  }
  if (retention !== null && (typeof retention !== "string" || durationMs(retention) === null)) {
    throw new SchemaError("retention: must be a duration such as 30d, or null for ever")
  }
  if (queue !== null) demandName("queue", queue, SchemaLimits.queueNameChars.max)
  if (project !== null && (typeof project !== "string" || !ProjectPattern.test(project))) {
    throw new SchemaError("project: must be p_ and 16 hex characters")
  }
  demandWhole("maxClients", settings.maxClients, { min: 1, max: SchemaLimits.maxClients.max })
  demandWhole("tickHz", settings.tickHz, { min: 0, max: SchemaLimits.tickHz.max })
  demandWhole("hibernateAfterMs", settings.hibernateAfterMs, {
    min: 0,
    max: SchemaLimits.hibernateAfterMs.ms
  })
  demandWhole("reconnectForMs", settings.reconnectForMs, {
    min: 0,
    max: SchemaLimits.reconnectForMs.ms
  })
  demandVoice(given.voice)
  demandReplay(given.replay, settings.replay)
  demandPhysics(given.physics, settings)
}

const demandPhysics = (
  given: SettingsDefinition["physics"] | null,
  { physics, tickHz }: Settings
): void => {
  if (given === undefined || given === null || physics === null) return
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new SchemaError("physics: must be an object")
  }
  if (physics.dimensions !== 2 && physics.dimensions !== 3) {
    throw new SchemaError("physics.dimensions: must be 2 or 3")
  }
  demandWhole("physics.history", physics.history, {
    min: 0,
    max: PhysicsLimits.physicsHistory.max
  })
  if (tickHz === 0) throw new SchemaError("physics: the world steps with the tick: set tickHz")
}

/** Throws past the bounds. Source: D-44, T-37. */
const demandReplay = (
  given: SettingsDefinition["replay"] | null,
  settings: Settings["replay"]
): void => {
  if (given === undefined || given === null || settings === null) return
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new SchemaError("replay: must be an object")
  }
  const { seconds, ttl } = settings
  if (typeof ttl !== "string" || durationMs(ttl) === null) {
    throw new SchemaError("replay.ttl: must be a duration of 1m to 3650d, such as 30d")
  }
  demandWhole("replay.seconds", seconds, SchemaLimits.replaySeconds)
}

const demandVoice = (voice: SettingsDefinition["voice"] | null): void => {
  if (voice === undefined || voice === null) return
  if (typeof voice !== "object") throw new SchemaError("voice: must be an object")
  const { min, max } = VoiceLimits.voiceParticipants
  demandWhole("voice.participants", voice.participants, { min, max })
}

const demandWhole = (
  name: string,
  value: number,
  range: { readonly min: number; readonly max: number }
): void => {
  if (Number.isInteger(value) && value >= range.min && value <= range.max) return
  throw new SchemaError(`${name}: must be a whole number from ${range.min} to ${range.max}`)
}
