import { Strict } from "@atrium/domain/http/Credential"
import { BadRequest } from "@atrium/domain/Refusal"
import { serviceMessage } from "@atrium/domain/ServiceMessage"
import { Effect, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** What does not fit the contract is named, the culprit first. Source: D-02. */
export const StrictRequests = HttpApiMiddleware.layerSchemaErrorTransform(Strict, (error) => {
  const [issue] = format(error.cause.issue).issues
  const path = (issue?.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".")
  const part = parts[error.kind] ?? "request"
  const place = path === "" ? part : `${part} ${path}`
  return Effect.fail(
    new BadRequest({ message: serviceMessage(`${place}: ${issue?.message ?? "not valid"}`) })
  )
})

const parts: Record<string, string> = {
  Query: "query parameter",
  Payload: "body",
  Params: "path",
  Headers: "header"
}
