import { describeKind } from "./Describe.ts"
import type { AnyField } from "./Field.ts"
import type { FieldSpec } from "./FieldSpec.ts"
import { kindText } from "./KindText.ts"
import type { AnyRoomSchema } from "./RoomSchema.ts"
import { fieldsDifference, type FieldJudge, schemaDifference } from "./SchemaDifference.ts"
import { widens } from "./Widening.ts"
import { Wire } from "./Wire.ts"

/**
 * The first difference that an older snapshot, client or stored player cannot bridge, as a sentence
 * that names it; `null` when there is none. All that was declared must still be declared and take every
 * value that it took. What is new or wider breaks nothing, nor do defaults, order and `durable`.
 * Source: C-09, C-56.
 */
export const breakingDifference = (old: AnyRoomSchema, next: AnyRoomSchema): string | null =>
  schemaDifference(old, next, judge) ?? fieldsDifference("player", [old.player, next.player], judge)

const judge: FieldJudge = (path, was, is) => {
  if (widens(was.spec, is.spec)) return null
  if (was.spec.kind === "enum" && is.spec.kind === "enum") {
    return choicesDifference(path, was.spec.choices, is.spec.choices)
  }
  const within = mostOf(was.spec) <= mostOf(is.spec) ? innerDifference(path, was, is) : null
  const [before, after] = [was, is].map((field) => kindText(describeKind(field)))
  return within ?? `${path} was ${before} and is ${after}`
}

/** How many items or entries a field takes. */
const mostOf = (spec: FieldSpec): number =>
  spec.kind === "list" ? spec.maxLength : spec.kind === "map" ? spec.maxEntries : 0

/** The first difference of what two fields of the same kind hold; `null` for a kind that holds nothing. */
const innerDifference = (path: string, was: AnyField, is: AnyField): string | null => {
  if (was.wire !== is.wire) return null
  const key = was.key === null || is.key === null ? null : judge(`${path} key`, was.key, is.key)
  if (key !== null) return key
  if (was.item === null || is.item === null) {
    return fieldsDifference(path, [was.fields, is.fields], judge)
  }
  return judge(was.wire === Wire.optional ? path : `${path}[]`, was.item, is.item)
}

/** The order counts: a choice travels as its place. */
const choicesDifference = (
  path: string,
  was: ReadonlyArray<string>,
  is: ReadonlyArray<string>
): string => {
  const place = was.findIndex((choice, at) => choice !== is[at])
  const [before, after] = [was[place], is[place]].map((choice) => JSON.stringify(choice))
  return after === undefined
    ? `${path} has lost the choice ${before}`
    : `${path}: choice ${place + 1} was ${before} and is ${after}`
}
