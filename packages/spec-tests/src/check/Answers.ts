import type { Refused } from "../sections/Row.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"
import { holds, same } from "./Expect.ts"

/** A refusal: the status and code of a row, and the text that its message must name. */
export interface Refusal {
  readonly outcome: Refused
  /** Stands in the message, as it was sent. */
  readonly naming?: string
}

/** The answer is that refusal, in the shape of an error. */
export const isRefusal = (
  { codecs }: Pick<Trial, "codecs">,
  answer: HttpAnswer,
  { outcome, naming }: Refusal
): void => {
  const asked = nameOf(answer)
  if (outcome.status !== undefined) same(`${asked}: the status`, answer.status, outcome.status)
  else isRefused(answer)
  const error = codecs.error(answer)
  if (error === null) return holds(`${asked}: a body that is an error`, false, answer.text)
  if (outcome.code !== undefined) same(`${asked}: the code`, error.code, outcome.code)
  if (naming === undefined) return
  holds(`${asked}: a message that names ${naming}`, error.message.includes(naming), error.message)
}

/** Refused, whatever the status: for what the specification forbids without a number. */
export const isRefused = (answer: HttpAnswer): void =>
  holds(`${nameOf(answer)}: a refusal`, answer.status >= 400 && answer.status < 500, answer.status)

/** Any 2xx: the specification shows no success codes. */
export const isSuccess = (answer: HttpAnswer): void =>
  holds(
    `${nameOf(answer)}: a success`,
    answer.status >= 200 && answer.status < 300,
    `${answer.status} ${answer.text.slice(0, 300)}`
  )

/** Two answers that nobody can tell apart: status, names of headers, those that say something, body. */
export const isSameAnswer = (what: string, one: HttpAnswer, other: HttpAnswer): void =>
  same(what, visible(one), visible(other))

const visible = ({ status, headers, bytes }: HttpAnswer) => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !ofTheConnection.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => [name, ofTheExchange.test(name) ? "…" : value])
  ),
  body: Buffer.from(bytes).toString("latin1")
})

const ofTheConnection: ReadonlySet<string> = new Set(["connection", "keep-alive", "date"])
/** Different in every answer: only that they are there is compared. */
const ofTheExchange =
  /^(?:x-)?(?:request|trace|correlation)-?id$|^traceparent$|^server-timing$|^cf-ray$/

const nameOf = ({ request }: HttpAnswer): string =>
  `${request.method} ${request.path.length > 120 ? `${request.path.slice(0, 120)}…` : request.path}`
