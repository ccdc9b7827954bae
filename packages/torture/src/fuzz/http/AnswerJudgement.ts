import { headerOf, type RawAnswer } from "@atrium/api/testing/RawHttp"
import { TextLimits } from "@atrium/wire/text/TextLimits"

import type { Expectation } from "./HttpCase.ts"
import type { HttpRoute } from "./HttpRoute.ts"

/** The one answer to a missing or wrong credential, to the byte. Spec: Authentication rule 5. */
const unauthenticatedBody =
  '{"error":{"code":"E_UNAUTHENTICATED","message":"the credential is missing or not valid"}}'

/** What an assertion is answered that proves nobody. Source: D-27. */
const noAssertionBody =
  '{"error":{"code":"E_ASSERTION_INVALID","message":"the assertion is not valid for this project"}}'

/** Codes that any request may bring, by status, whatever its route. Source: D-02, C-77. */
const anywhere: Readonly<Record<number, string>> = {
  400: "E_BAD_REQUEST",
  404: "E_NOT_FOUND",
  405: "E_METHOD_NOT_ALLOWED",
  408: "E_BAD_REQUEST",
  413: "E_BODY_TOO_LARGE",
  431: "E_BAD_REQUEST"
}
/** Codes that a path without a route may answer. */
const besideRoutes: Readonly<Record<number, string>> = { 401: "E_UNAUTHENTICATED" }

interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly retryAfterMs: number | null
}

/** The fields of a value that is an object with these keys and no others, in this order. */
const fieldsOf = (
  value: unknown,
  ...shapes: ReadonlyArray<string>
): Readonly<Record<string, unknown>> | null => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null
  return shapes.includes(Object.keys(value).join()) ? Object(value) : null
}

const errorIn = (body: Buffer): ErrorBody | null => {
  const error = fieldsOf(
    fieldsOf(parsed(body), "error")?.["error"],
    "code,message",
    "code,message,retryAfterMs"
  )
  const { code, message, retryAfterMs = null } = error ?? {}
  if (typeof code !== "string" || typeof message !== "string") return null
  if (retryAfterMs !== null && !Number.isInteger(retryAfterMs)) return null
  return { code, message, retryAfterMs: retryAfterMs === null ? null : Number(retryAfterMs) }
}

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return null
  }
}

/** The first fault in the shape of a refusal; `null` = it has the shape of errors. Source: D-02, D-26. */
export const shapeFault = (answer: RawAnswer): string | null => {
  const type = headerOf(answer, "content-type")
  if (type !== "application/json; charset=utf-8") return `content-type ${type}`
  const error = errorIn(answer.body)
  if (error === null) return `no error: ${answer.body.toString().slice(0, 200)}`
  const { code, message, retryAfterMs } = error
  if (!/^E_[A-Z_]+$/.test(code)) return `code ${code}`
  if (message === "" || Buffer.byteLength(message) > TextLimits.messageBytes.max)
    return `message ${message}`
  const { status } = answer
  const refusals = [unauthenticatedBody, noAssertionBody]
  if (status === 401 && !refusals.includes(answer.body.toString())) return `401 with ${message}`
  if ((status === 401) !== (headerOf(answer, "www-authenticate") === "Bearer"))
    return `${status} and www-authenticate`
  if ((status === 405) !== (headerOf(answer, "allow") !== null)) return `${status} and allow`
  if ((status === 429) !== (retryAfterMs !== null)) return `${status} and retryAfterMs`
  const told = headerOf(answer, "retry-after")
  // A 503 names in whole seconds when to try again.
  if (status === 503) return /^[1-9]\d*$/.test(told ?? "") ? null : "503 without retry-after"
  const seconds = retryAfterMs === null ? null : String(Math.ceil(retryAfterMs / 1000))
  return seconds === told ? null : `${status} and retry-after`
}

const isKnown = (status: number, code: string, route: HttpRoute | null): boolean => {
  if (anywhere[status] === code) return true
  return route === null
    ? besideRoutes[status] === code
    : route.codes.get(status)?.has(code) === true
}

/** The routes that take a bundle: a project's bundles wait for each other, before anything else is looked at. */
const takesBundle = ["POST /v1/projects/:id/deployments", "POST /v1/projects/:id/rehearsals"]

/** Source: C-212. */
const isBusyDeployment = ({ status, body }: RawAnswer, route: HttpRoute | null): boolean =>
  route !== null &&
  takesBundle.includes(route.name) &&
  status === 503 &&
  errorIn(body)?.code === "E_NOT_READY"

/** The parts of a request on which the answer depends. */
export interface Asked {
  readonly expects: Expectation
  readonly headOnly: boolean
  /** `null` = no route of the contract. */
  readonly route: HttpRoute | null
  /** The secrets that no answer may repeat. */
  readonly secrets: ReadonlyArray<string>
}

/** The fault of an answer; `null` = it has none. */
export const answerFault = (
  answer: RawAnswer,
  { expects, headOnly, route, secrets }: Asked
): string | null => {
  const { status, headers, body } = answer
  const said = `${headers.map((header) => header.join(": ")).join("\n")}\n${body.toString()}`
  if (secrets.some((secret) => said.includes(secret))) return `${status} tells a secret: ${said}`
  if (isBusyDeployment(answer, route)) return shapeFault(answer)
  if (!expects.statuses.includes(status)) {
    return `${status} instead of ${expects.statuses.join(" or ")}: ${body.toString().slice(0, 200)}`
  }
  if (status < 400 || headOnly) return null
  const shape = shapeFault(answer)
  if (shape !== null) return `${status} not in the shape of errors: ${shape}`
  const { code = "", message = "" } = errorIn(body) ?? {}
  if (expects.code !== null && expects.code !== code)
    return `${code} instead of ${expects.code}: ${message}`
  if (!isKnown(status, code, route)) return `${status} ${code} is not declared: ${message}`
  const names = expects.names ?? ""
  return message.includes(names) ? null : `does not name ${names}: ${message}`
}
