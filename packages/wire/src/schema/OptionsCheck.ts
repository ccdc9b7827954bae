import { type AnyField, isField, NotField } from "./Field.ts"
import { problemAt } from "./FieldError.ts"
import { unknownKey } from "./UnknownKey.ts"

/** What is wrong with the options of a field, `null` = nothing. */
export const optionsProblem = (
  options: object | undefined,
  known: ReadonlyArray<string> = ["default"]
): string | null => {
  if (options === undefined) return null
  if (typeof options !== "object" || options === null) return "its options must be an object"
  return unknownKey(options, known)
}

/** The fault of a field in another one. Plain JavaScript may put anything in its place. */
export const innerProblem = (segment: string, field: AnyField): string | null => {
  const problem = isField(field) ? field.problem : NotField
  return problem === null ? null : problemAt(segment, problem)
}
