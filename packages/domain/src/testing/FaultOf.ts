import { Result, Schema, SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first thing that a value's schema has against it, its path before it; `null` = nothing. */
export const faultOf = <Subject extends Schema.Decoder<unknown>>(
  schema: Subject,
  value: unknown
): string | null => {
  const decoded = Schema.decodeUnknownResult(schema)(value, {
    onExcessProperty: "error",
    errors: "all"
  })
  if (Result.isSuccess(decoded)) return null
  const [issue] = format(decoded.failure.issue).issues
  const path = (issue?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  return [...path, issue?.message].join(": ")
}
