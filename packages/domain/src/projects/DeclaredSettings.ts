import { Result, Schema } from "effect"

import { AudienceRole } from "../audience/AudienceRole.ts"
import { Boards } from "../boards/Boards.ts"
import { faultSentence } from "../http/FaultSentence.ts"
import { Queues } from "../match/Queues.ts"
import { Flag } from "./Declarations.ts"
import { Origins } from "./Origins.ts"

/** The settings that both a project file and `PATCH` declare; what is left out stays as it is. */
export const declaredFields = {
  queues: Schema.optionalKey(Queues),
  boards: Schema.optionalKey(Boards),
  origins: Schema.optionalKey(Origins),
  audienceRole: Schema.optionalKey(AudienceRole),
  preRelease: Schema.optionalKey(Flag)
}

const DeclaredSettings = Schema.Struct(declaredFields)
export type DeclaredSettings = typeof DeclaredSettings.Type

const decode = Schema.decodeUnknownResult(DeclaredSettings, {
  onExcessProperty: "error",
  errors: "first"
})

/** Reads settings; fails with the very sentence with which `PATCH` refuses them. Source: T-108. */
export const readSettings = (json: unknown): Result.Result<DeclaredSettings, string> =>
  Result.mapError(decode(json), ({ issue }) => faultSentence("field", issue))
