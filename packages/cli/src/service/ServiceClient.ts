import { Effect, Schema, SchemaIssue } from "effect"
import {
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "effect/http"

import { Misused, Refused } from "../CommandFailure.ts"
import { printable } from "../terminal/Printable.ts"
import { nodeHttpClient } from "./NodeHttp.ts"
import { serviceRoutes } from "./ServiceRoutes.ts"
import type { CredentialSource, ServiceAddress, ServiceSettings } from "./ServiceSettings.ts"

/** The routes of a service, as it is called by commands. */
export type ServiceClient = Effect.Success<ReturnType<typeof makeServiceClient>>

/** Longest wait for an answer; a bundle or a save has time for 64 MiB over a slow line. */
const waits = { answer: "15 seconds", transfer: "5 minutes" } as const

/**
 * The routes of the contract. Each call goes through `ask`, which makes a {@link Refused} of every
 * refusal of the service, and {@link Misused} of what the contract does not allow to be sent.
 */
export const makeServiceClient = Effect.fnUntraced(function* (
  settings: ServiceAddress & Partial<ServiceSettings>
) {
  const base = settings.endpoint.http
  const source = settings.credential?.source ?? null
  const bare = (yield* nodeHttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl(base)),
    HttpClient.filterOrElse(isSuccess, (response) => refused(response, { base, source }))
  )
  const httpClient = settings.credential
    ? HttpClient.mapRequest(bare, HttpClientRequest.bearerToken(settings.credential.secret))
    : bare
  const routes = serviceRoutes(
    httpClient,
    Effect.mapError(() => strange(base, 200))
  )
  const ask = <A, E extends Sent>(call: Effect.Effect<A, E>, wait: keyof typeof waits = "answer") =>
    call.pipe(
      Effect.timeoutOrElse({ duration: waits[wait], orElse: () => silent(base, waits[wait]) }),
      Effect.mapError((error) => failureOf(base, error))
    )
  return {
    ...routes,
    ask,
    /** Does a service answer there? */
    health: ask(Effect.flatMap(bare.get("/health"), read))
  }
})

/** Errors of a call, before a command puts them in its own words. */
type Sent =
  | Refused
  | Misused
  | HttpClientError.HttpClientError
  | Schema.SchemaError
  | { readonly _tag: `E_${string}`; readonly message: string }

const failureOf = (base: string, error: Sent): Refused | Misused => {
  if (error instanceof Refused || error instanceof Misused) return error
  if (HttpClientError.isHttpClientError(error)) return unreachable(base, error)
  // Answers are read in `transformResponse`: what fits no schema here is what was to be sent.
  if (error instanceof Schema.SchemaError) return new Misused({ message: misfitText(error) })
  return new Refused({ code: error._tag, text: error.message })
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** `name: must have 1 to 100 characters`. */
const misfitText = ({ issue }: Schema.SchemaError): string => {
  const [first] = issuesOf(issue).issues
  return [...(first?.path ?? []).map(String), first?.message ?? "not valid"].join(": ")
}

/** Reads an answer to its end: until then its connection is open, and keeps the process from ending. */
const read = ({ text }: HttpClientResponse.HttpClientResponse) => Effect.asVoid(text)

const isSuccess = ({ status }: HttpClientResponse.HttpClientResponse): boolean =>
  status >= 200 && status < 300

interface Asked {
  readonly base: string
  /** `null` = without a credential. */
  readonly source: CredentialSource | null
}

const Refusal = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.StructWithRest(Schema.Struct({ code: Schema.String, message: Schema.String }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  })
)

const refused = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  { base, source }: Asked
) {
  const { status, headers } = response
  if (status >= 300 && status < 400) {
    yield* Effect.ignore(read(response))
    return yield* redirected(base, headers["location"])
  }
  const {
    error: { code, message, ...details }
  } = yield* Effect.mapError(Effect.flatMap(response.text, Schema.decodeEffect(Refusal)), () =>
    strange(base, status)
  )
  const hint = code === "E_UNAUTHENTICATED" && source !== null ? `\n${hints[source]}` : ""
  const waitS = Number(headers["retry-after"])
  return yield* new Refused({
    code,
    text: printable(message) + hint,
    details,
    ...(Number.isFinite(waitS) ? { retryAfterMs: waitS * 1000 } : {})
  })
})

const hints = {
  SERVICE_API_KEY: "SERVICE_API_KEY holds a key that was revoked, or that is another service's",
  ATRIUM_TOKEN: "ATRIUM_TOKEN holds another token than the service showed at its first start",
  login: "the login that is stored has ended: run `atrium login` again"
} as const

const redirected = (base: string, location: string | undefined) =>
  new Refused({
    code: null,
    text: `${base} sends to ${printable(location ?? "nowhere")}, and no credential follows; if that is the service, name it with --url`
  })

const strange = (base: string, status: number): Refused =>
  new Refused({
    code: null,
    text: `${base} answered ${status} in a form that is not Atrium's; check the address`
  })

const silent = (base: string, wait: string) =>
  Effect.fail(
    new Refused({ code: null, text: `${base} gave no answer within ${wait}`, unanswered: true })
  )

const unreachable = (base: string, error: HttpClientError.HttpClientError): Refused => {
  const code = codeOf(error)
  const text =
    code === null || code === "ECONNREFUSED"
      ? `nothing answers at ${base}; start it with \`npm start\``
      : `nothing answers at ${base} (${code})`
  return new Refused({ code: null, text, unanswered: true })
}

/** The innermost system error code, such as `ENOTFOUND`. */
const codeOf = (error: unknown): string | null => {
  let found: string | null = null
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") found = cause.code
  }
  return found
}
