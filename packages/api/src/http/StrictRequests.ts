import { Strict } from "@atrium/domain/http/Credential"
import { withoutSecrets } from "@atrium/domain/shared/Ids"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Effect, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names the part of a request that does not fit the contract. Source: D-02; spec: Errors. */
export const StrictRequests = HttpApiMiddleware.layerSchemaErrorTransform(Strict, (error) => {
  // An answer that does not fit its own contract is a fault of the service, not of the caller.
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  const [issue] = format(error.cause.issue).issues
  const path = (issue?.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".")
  const sentence = sentenceOf(nouns[error.kind], path, issue?.message ?? "not valid")
  return Effect.fail(new BadRequest({ message: serviceMessage(withoutSecrets(sentence)) }))
})

/** The schema library's two texts for an unknown key: beside known keys, and alone. */
const excess: ReadonlyArray<string> = ["Expected no excess property", "Expected never"]

const sentenceOf = (noun: string, path: string, fault: string): string => {
  if (excess.some((text) => fault.startsWith(text))) return `unknown ${noun}: ${path}`
  return path === "" ? `the body does not fit: ${fault}` : `${noun} ${path}: ${fault}`
}

const nouns = {
  Query: "query parameter",
  Payload: "field",
  Params: "path part",
  Headers: "header"
} as const
