import { Schema } from "effect"

import { Moment } from "../http/Moment.ts"

/** What may happen to a room. */
const LifeKinds = [
  "created",
  "woken",
  "migrated",
  "cold",
  "stayed",
  "slept",
  "moved",
  "crashed",
  "restarted",
  "closed",
  "failed",
  "lost",
  "restored",
  "set",
  "saved",
  "deployed"
] as const

/** What is told with an event. Which of these are there follows from its kind. */
const lifeFields = {
  /** The version that the room runs from then on, or was saved under. */
  version: Schema.optionalKey(Schema.Int),
  /** The version of the state before a migration, or the one that a rollback went back to. */
  from: Schema.optionalKey(Schema.Int),
  /** The server that the room is on. */
  server: Schema.optionalKey(Schema.String),
  /** Why it fell asleep, or a save was made; the cause of a crash. */
  reason: Schema.optionalKey(Schema.String),
  detail: Schema.optionalKey(Schema.String),
  saveId: Schema.optionalKey(Schema.String),
  bytes: Schema.optionalKey(Schema.Int),
  /** How old the stored state was that the room went back to. */
  staleMs: Schema.optionalKey(Schema.Int),
  /** Events right before this one that were not kept. */
  missing: Schema.optionalKey(Schema.Int)
}

/** What happened, without its moment. */
export const LifeNote = Schema.Struct({ kind: Schema.Literals(LifeKinds), ...lifeFields })
export type LifeNote = typeof LifeNote.Type

/** One event of a room's life. Source: C-772. */
export const LifeEvent = Schema.Struct({
  id: Schema.String,
  at: Moment,
  ...LifeNote.fields
}).annotate({
  identifier: "LifeEvent",
  description:
    "What happened to a room. `created`, `woken` and `restarted` tell `version` and `server`; `migrated` tells the version of the state (`from`); `cold` why a state could not be read, `stayed` why a room stays on the version of its state; `slept` its `reason`; `crashed` the cause and how much play it cost (`staleMs`); `closed` and `failed` a room that does not start any more; `lost` a runner that went away; `moved` a handover; `restored` and `saved` a save; `deployed` a version of the project."
})
export type LifeEvent = typeof LifeEvent.Type
