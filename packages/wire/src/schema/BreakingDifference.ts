import { describeKind } from "./Describe.ts"
import type { FieldDescriptor } from "./Descriptor.ts"
import type { AnyRoomSchema } from "./RoomSchema.ts"
import { fieldsDifference, type FieldJudge, schemaDifference } from "./SchemaDifference.ts"
import { widens } from "./Widening.ts"

/**
 * The first difference that an older snapshot, client or stored player cannot bridge, as a sentence
 * that names it; `null` when there is none. All that was declared must still be declared and take every
 * value that it took. What is new or wider breaks nothing, nor do defaults, order and `durable`.
 * Source: C-09, C-56.
 */
export const breakingDifference = (old: AnyRoomSchema, next: AnyRoomSchema): string | null =>
  schemaDifference(old, next, judge) ?? fieldsDifference("player", [old.player, next.player], judge)

const judge: FieldJudge = (path, was, is) =>
  widens(was.spec, is.spec)
    ? null
    : kindDifference(path, describeKind(was.spec), describeKind(is.spec))

/** Says where two kinds differ of which the later one does not take all values of the older one. */
const kindDifference = (path: string, was: FieldDescriptor, is: FieldDescriptor): string => {
  if (was.choices !== undefined && is.choices !== undefined) {
    return choicesDifference(path, was.choices, is.choices)
  }
  if (
    was.of !== undefined &&
    is.of !== undefined &&
    Number(was.maxLength) <= Number(is.maxLength)
  ) {
    return kindDifference(`${path}[]`, was.of, is.of)
  }
  return `${path} was ${kindText(was)} and is ${kindText(is)}`
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

/** A kind with its bounds, about as a schema writes it: a refusal has 96 bytes for all it says. */
const kindText = ({ kind, ...bounds }: FieldDescriptor): string => {
  const { min, max, step, maxBytes, collection, of, maxLength } = bounds
  if (of !== undefined) return `${kind}(${kindText(of)}, ${maxLength})`
  if (step !== undefined) return `${kind}(${min} to ${max} by ${step})`
  if (maxBytes !== undefined) return `${kind}(${maxBytes})`
  return collection === undefined ? kind : `${kind}(${collection})`
}
