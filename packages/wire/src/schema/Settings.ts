import { DayMs } from "../limits/Limit.ts"
import type { ReplayDefinition, SchemaDefinition } from "./Definition.ts"
import type { AnyRoomSchema, ReplaySettings } from "./RoomSchema.ts"
import { SchemaLimits } from "./SchemaLimits.ts"

/** The settings of a definition besides its shapes. */
export type SettingsDefinition = Omit<
  SchemaDefinition,
  "entities" | "singletons" | "messages" | "rpc" | "player"
>

/** The same with nothing left out. */
export type Settings = Pick<AnyRoomSchema, keyof SettingsDefinition>

/** Fills in the defaults of everything that is not a shape. */
export const withSettings = (given: SettingsDefinition): Settings => ({
  type: given.type,
  class: given.class ?? "standard",
  maxClients: given.maxClients ?? SchemaLimits.maxClientsDefault.max,
  tickHz: given.tickHz ?? 0,
  hibernateAfterMs: given.hibernateAfterMs ?? SchemaLimits.hibernateAfter.ms,
  reconnectForMs: given.reconnectForMs ?? SchemaLimits.reconnectFor.ms,
  retention: given.retention ?? null,
  queue: given.queue ?? null,
  voice: given.voice ? { participants: given.voice.participants } : null,
  replay: given.replay ? replayWith(given.replay) : null,
  physics: given.physics
    ? { dimensions: given.physics.dimensions, history: given.physics.history ?? 0 }
    : null,
  project: given.project ?? null
})

/** Source: D-44, T-37. */
const replayWith = ({ seconds, ttl }: ReplayDefinition): ReplaySettings => {
  const { replaySecondsDefault, replayTtl } = SchemaLimits
  return Object.freeze({
    seconds: seconds ?? replaySecondsDefault.max,
    ttl: ttl ?? `${replayTtl.ms / DayMs}d`
  })
}
