import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { SchemaIssue } from "effect"

import { withoutSecrets } from "../shared/Ids.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The schema library's two texts for an unknown key: beside known keys, and alone. */
const excess: ReadonlyArray<string> = ["Expected no excess property", "Expected never"]

/**
 * Names the part of a request that does not fit its contract, in one sentence.
 *
 * @param noun of the part, such as `field`
 */
export const faultSentence = (noun: string, issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".")
  return serviceMessage(withoutSecrets(sentenceOf(noun, path, first?.message ?? "not valid")))
}

const sentenceOf = (noun: string, path: string, fault: string): string => {
  if (excess.some((text) => fault.startsWith(text))) return `unknown ${noun}: ${path}`
  return path === "" ? `the body does not fit: ${fault}` : `${noun} ${path}: ${fault}`
}
