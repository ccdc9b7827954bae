import type { CountLimit } from "@atrium/wire/limits/Limit"
import { Effect, Schema } from "effect"

/** Keys, each refused by name when it is unknown. */
export const section = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate({
    message: `must be an object with ${Object.keys(fields).join(", ")}`
  })

/** What editors and docs say of a key: the schema of its text in the file has it. */
type Told<Source> = { readonly description: string; readonly default?: Source }

const told = <S extends Schema.Top>(schema: S, annotations: Told<S["Encoded"]>): S =>
  // An annotation changes no type: the compiler cannot know that `Rebuild` of S is S.
  Schema.annotateEncoded<S>(annotations)(schema) as S

/** A key that must be there. */
export const required = <S extends Schema.Top>(schema: S, description: string): S =>
  told(schema, { description })

/** A key that may be left out, and then is not there. */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(told(schema, { description }))

/** A key that has a value when it is left out. */
export const preset = <S extends Schema.Top>(
  schema: S,
  value: NoInfer<S["Encoded"]>,
  description: string
) =>
  told(schema, { description, default: value }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(value))
  )

/** A number from 0 to the limit. */
export const positive = ({ max }: Pick<CountLimit, "max">) => {
  const message = `must be a number from 0 to ${max}`
  return Schema.Finite.annotate({ message }).check(
    Schema.isBetween({ minimum: 0, maximum: max }, { message })
  )
}

export const oneOf = <const Names extends ReadonlyArray<string>>(names: Names) =>
  Schema.Literals(names).annotate({ message: `must be ${names.join(" or ")}` })
