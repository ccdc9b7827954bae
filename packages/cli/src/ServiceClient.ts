import { Deployment, Project } from "@atrium/domain/http/ProjectsApi"
import { Effect, Schema } from "effect"
import {
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "effect/http"

import { Refused } from "./CommandFailure.ts"
import type { ServiceSettings } from "./ServiceSettings.ts"

const Answer = {
  project: Schema.fromJsonString(Project),
  deployment: Schema.fromJsonString(Deployment),
  refusal: Schema.fromJsonString(
    Schema.Struct({ error: Schema.Struct({ code: Schema.String, message: Schema.String }) })
  )
}

/** Longest wait for an answer; an upload has time for 32 MiB over a slow line. */
const waits = { answer: "15 seconds", upload: "5 minutes" } as const

/** The routes of the service that commands use. Every refusal of the service is a {@link Refused}. */
export const makeServiceClient = Effect.fnUntraced(function* (settings: ServiceSettings) {
  const http = yield* HttpClient.HttpClient
  const { http: base } = settings.endpoint
  const send = (request: HttpClientRequest.HttpClientRequest, wait: keyof typeof waits) =>
    http.execute(HttpClientRequest.prependUrl(request, base)).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
      Effect.mapError((error) => unreachable(base, error)),
      Effect.timeoutOrElse({ duration: waits[wait], orElse: () => silent(base, waits[wait]) }),
      Effect.flatMap(({ response, text }) =>
        response.status >= 200 && response.status < 300
          ? Effect.succeed(text)
          : refusalOf(base, response, text)
      )
    )
  const authorised = HttpClientRequest.bearerToken(settings.token)
  return {
    /** Does a service answer there? */
    health: Effect.asVoid(send(HttpClientRequest.get("/health"), "answer")),

    createProject: (name: string) =>
      HttpClientRequest.post("/v1/projects").pipe(
        authorised,
        HttpClientRequest.bodyJsonUnsafe({ name }),
        (request) => send(request, "answer"),
        Effect.flatMap((text) => decoded(base, Answer.project, text))
      ),

    deploy: (projectId: string, bundle: Uint8Array) =>
      HttpClientRequest.post(`/v1/projects/${encodeURIComponent(projectId)}/deployments`).pipe(
        authorised,
        HttpClientRequest.bodyUint8Array(bundle, "application/javascript"),
        (request) => send(request, "upload"),
        Effect.flatMap((text) => decoded(base, Answer.deployment, text))
      )
  }
})

const unreachable = (base: string, error: HttpClientError.HttpClientError): Refused => {
  const code = codeOf(error)
  const text =
    code === null || code === "ECONNREFUSED"
      ? `nothing answers at ${base}; start it with \`npm start\``
      : `nothing answers at ${base} (${code})`
  return new Refused({ code: null, text })
}

/** The innermost system error code, such as `ENOTFOUND`. */
const codeOf = (error: unknown): string | null => {
  let found: string | null = null
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") found = cause.code
  }
  return found
}

const silent = (base: string, wait: string) =>
  Effect.fail(new Refused({ code: null, text: `${base} gave no answer within ${wait}` }))

const refusalOf = (
  base: string,
  response: HttpClientResponse.HttpClientResponse,
  text: string
): Effect.Effect<never, Refused> =>
  Schema.decodeEffect(Answer.refusal)(text).pipe(
    Effect.mapError(() => new Refused({ code: null, text: strange(base, response.status) })),
    Effect.flatMap(({ error }) => {
      const hint = error.code === "E_UNAUTHENTICATED" ? `\n${tokenHint}` : ""
      return new Refused({ code: error.code, text: error.message + hint })
    })
  )

const tokenHint = "ATRIUM_TOKEN holds another token than the service showed at its first start"

const strange = (base: string, status: number): string =>
  `${base} answered ${status} in a form that is not Atrium's; check the address`

const decoded = <A>(base: string, schema: Schema.Codec<A, string>, text: string) =>
  Effect.mapError(
    Schema.decodeEffect(schema)(text),
    () => new Refused({ code: null, text: strange(base, 200) })
  )
