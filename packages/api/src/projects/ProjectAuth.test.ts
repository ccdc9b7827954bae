import { ApiKeyEntity } from "@atrium/actors/keys/ApiKeyEntity"
import { ApiKeys } from "@atrium/actors/keys/ApiKeys"
import { ApiKeyStore } from "@atrium/actors/keys/ApiKeyStore"
import { LoginStore } from "@atrium/actors/logins/LoginStore"
import { firstOwner, newProject, TestStores } from "@atrium/actors/store/testing/TestStores"
import {
  CallersProject,
  ProjectAccess,
  RequiredScope,
  Strict
} from "@atrium/domain/http/Credential"
import { NoQuery } from "@atrium/domain/http/NoQuery"
import { noAddressRules } from "@atrium/domain/shared/ClientAddress"
import { ProjectId } from "@atrium/domain/shared/Ids"
import type { Scope } from "@atrium/domain/shared/Scope"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Schema, Tracer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SqlClient } from "effect/sql"

import { AuditLog } from "../audit/AuditLog.ts"
import { ClientAddresses } from "../http/ClientAddresses.ts"
import { withErrorResponses } from "../http/ErrorResponses.ts"
import { StrictRequests } from "../http/StrictRequests.ts"
import { JoinTerms } from "../router/JoinTerms.ts"
import { runnerLayer } from "../start/Runner.ts"
import { ProjectAuth } from "./ProjectAuth.ts"

const shape = {
  params: { id: Schema.String },
  query: NoQuery,
  payload: Schema.Struct({ n: Schema.Int }),
  success: Schema.String
}

/** A route of each kind that there is. */
const Probe = HttpApiGroup.make("probe")
  .add(
    HttpApiEndpoint.post("read", "/p/:id/read", shape).annotate(RequiredScope, "rooms:read"),
    HttpApiEndpoint.post("write", "/p/:id/write", shape).annotate(RequiredScope, "rooms:write"),
    HttpApiEndpoint.post("own", "/p/:id/own", shape)
  )
  .middleware(ProjectAccess)

const ProbeApi = HttpApi.make("probe")
  .add(Probe)
  .middleware(Strict)
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.HeadersParseOptions, {})

const answer = () => Effect.map(CallersProject, ({ projectId }) => `reached ${projectId}`)
const Routes = HttpApiBuilder.layer(ProbeApi).pipe(
  Layer.provide(
    HttpApiBuilder.group(ProbeApi, "probe", (handlers) =>
      handlers.handleAll({ read: answer, write: answer, own: answer })
    ).pipe(Layer.provide([ProjectAuth, StrictRequests]))
  ),
  Layer.provide(StrictRequests)
)

type App = Effect.Success<ReturnType<typeof HttpRouter.toHttpEffect<never, never, never>>>
class ProbeApp extends Context.Service<ProbeApp, App>()("ProbeApp") {
  static readonly layer = Layer.effect(ProbeApp, HttpRouter.toHttpEffect(Routes))
}

/** Every step that is taken for a request, by whomever: queries and calls of actors among them. */
const spans: Array<Tracer.NativeSpan> = []
const Recording = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({
    span(options) {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
)

const stepOf = (span: Tracer.NativeSpan): string => {
  const query = span.attributes.get("db.query.text")
  return typeof query === "string" ? query.replaceAll(/\s+/g, " ").trim() : span.name
}

const Service = ProbeApp.layer.pipe(
  Layer.provide(AuditLog.layer),
  Layer.provideMerge(JoinTerms.layer),
  Layer.provide(ClientAddresses.layer(noAddressRules)),
  Layer.provideMerge(ApiKeys.layer.pipe(Layer.merge(ApiKeyEntity))),
  Layer.provideMerge(runnerLayer({ runnerAddress: Option.none() })),
  Layer.provideMerge(TestStores),
  Layer.provide(NodeHttpServer.layerHttpServices),
  Layer.provideMerge(Recording)
)

interface Asked {
  readonly project: string
  readonly bearer: string
  readonly route?: "read" | "write" | "own"
  readonly body?: string
}

const ask = Effect.fnUntraced(function* ({ project, bearer, route = "read", body }: Asked) {
  const app = yield* ProbeApp
  const request = new Request(`http://localhost/p/${project}/${route}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
    body: body ?? '{"n":1}'
  })
  const before = spans.length
  const response = yield* withErrorResponses(app).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request)),
    Effect.map((found) => HttpServerResponse.toWeb(found)),
    Effect.scoped
  )
  const text = yield* Effect.promise(() => response.text())
  const headers = [...response.headers].filter(([name]) => name !== "date")
  return { status: response.status, text, headers, steps: spans.slice(before).map(stepOf) }
})

/** Two accounts with a project each, and the credentials of the first. */
const stage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* ApiKeyStore
  const logins = yield* LoginStore
  const { accountId } = yield* firstOwner
  const own = yield* newProject
  const foreign = yield* newProject
  const stranger = `acc_${foreign}`
  yield* sql`insert into accounts (account_id, name, created_at_ms) values (${stranger}, 'x', 1)`
  yield* sql`update projects set account_id = ${stranger} where project_id = ${foreign}`
  const key = (...scopes: ReadonlyArray<Scope>) =>
    Effect.map(keys.mint({ projectId: own, label: "probe", scopes }), ({ secret }) => secret)
  const login = (yield* logins.issue({ accountId, kind: "cli", label: "probe" })).secret
  const reader = yield* key("rooms:read")
  const writer = yield* key("rooms:write")
  return { own, foreign, login, reader, writer, missing: "p_00000000000000ff" }
})

const codeOf = ({ text }: { readonly text: string }): unknown => JSON.parse(text).error.code

layer(Service, { excludeTestServices: true })((it) => {
  it.effect("[C-920] joins by this runner know of a change before its caller does", () =>
    Effect.gen(function* () {
      const { own, login, reader } = yield* stage
      const { kids, origins } = yield* JoinTerms
      const project = ProjectId.make(own)
      const known = () => [kids.recent(project), origins.recent(project)]
      yield* Effect.andThen(kids.read(project), origins.read(project))
      yield* ask({ project: own, bearer: reader, route: "write" })
      expect(known()).toEqual([[], ["*"]])
      yield* ask({ project: own, bearer: login, route: "own" })
      expect(known()).toEqual([undefined, undefined])
    })
  )

  it.effect(
    "[auth.key.other-vs-nonexistent-identical] a foreign project takes the very steps of a missing one",
    () =>
      Effect.gen(function* () {
        const { own, foreign, missing, login, reader, writer } = yield* stage
        for (const [bearer, route] of [
          [login, "own"],
          [login, "write"],
          [reader, "read"],
          [reader, "write"],
          [writer, "write"]
        ] as const) {
          // The first use of a credential is written down, whatever it is for.
          yield* ask({ project: own, bearer })
          const there = yield* ask({ project: foreign, bearer, route })
          const nowhere = yield* ask({ project: missing, bearer, route })
          expect([there.status, codeOf(there)]).toEqual([404, "E_NOT_FOUND"])
          expect(nowhere).toEqual(there)
          // One query and one call of an actor for a key, two queries for a login.
          const queries = there.steps.filter((step) => step.startsWith("select"))
          const calls = there.steps.filter((step) => step.startsWith("ApiKey.client"))
          expect([queries.length, calls.length]).toEqual(bearer === login ? [2, 0] : [1, 1])
        }
        // An API key is no credential for a route without a scope: nobody looks for the project.
        const other = yield* ask({ project: own, bearer: writer, route: "own" })
        expect([other.status, other.steps]).toEqual([401, []])
      })
  )

  it.effect("[auth.key.other-vs-nonexistent-identical] every form of id gets the same bytes", () =>
    Effect.gen(function* () {
      const { missing, login, reader } = yield* stage
      const ids = [
        "x",
        "P_00000000000000ff",
        `${missing}0`,
        "%00",
        "p_%00",
        "a%2Fb",
        "9".repeat(90)
      ]
      for (const bearer of [login, reader]) {
        const { status, text, headers } = yield* ask({ project: missing, bearer })
        expect(status).toBe(404)
        for (const project of ids) {
          expect(yield* ask({ project, bearer })).toMatchObject({ status, text, headers })
        }
      }
    })
  )

  it.effect("[D-03] the body is looked at last", () =>
    Effect.gen(function* () {
      const { own, foreign, missing, login, reader, writer } = yield* stage
      for (const body of ["{", "[]", '{"n":1,"extra":2}', '{"n":"1"}', ""]) {
        const ask400 = (asked: Omit<Asked, "body">) =>
          Effect.map(ask({ ...asked, body }), (answer) => [answer.status, codeOf(answer)])
        const bad = [401, "E_UNAUTHENTICATED"]
        expect(yield* ask400({ project: own, bearer: "nonsense" })).toEqual(bad)
        expect(yield* ask400({ project: own, bearer: writer, route: "own" })).toEqual(bad)
        for (const project of [foreign, missing, "nonsense"]) {
          expect(yield* ask400({ project, bearer: reader })).toEqual([404, "E_NOT_FOUND"])
          expect(yield* ask400({ project, bearer: reader, route: "write" })).toEqual([
            404,
            "E_NOT_FOUND"
          ])
          expect(yield* ask400({ project, bearer: login, route: "own" })).toEqual([
            404,
            "E_NOT_FOUND"
          ])
        }
        expect(yield* ask400({ project: own, bearer: reader, route: "write" })).toEqual([
          403,
          "E_SCOPE"
        ])
        for (const bearer of [reader, login]) {
          expect(yield* ask400({ project: own, bearer })).toEqual([400, "E_BAD_REQUEST"])
        }
      }
    })
  )

  it.effect(
    "[state.key.revoked-401] a row that says revoked is enough, whatever its actor believes",
    () =>
      Effect.gen(function* () {
        const { own, reader, writer } = yield* stage
        const sql = yield* SqlClient.SqlClient
        expect((yield* ask({ project: own, bearer: reader })).status).toBe(200)
        // As if a runner that is cut off from the others still held the actor.
        yield* sql`update api_keys set revoked_at_ms = 7 where project_id = ${own}
        and scopes = '["rooms:read"]'`
        const answer = yield* ask({ project: own, bearer: reader })
        expect([answer.status, codeOf(answer)]).toEqual([401, "E_UNAUTHENTICATED"])
        expect((yield* ask({ project: own, bearer: writer })).status).toBe(200)
      })
  )

  it.effect("[C-62] a deleted project is as one that never was, to its key and to its login", () =>
    Effect.gen(function* () {
      const { own, missing, login, reader } = yield* stage
      const sql = yield* SqlClient.SqlClient
      yield* ask({ project: own, bearer: reader })
      yield* sql`update projects set deleted_at_ms = 7 where project_id = ${own}`
      for (const bearer of [reader, login]) {
        const gone = yield* ask({ project: own, bearer })
        expect(gone.status).toBe(404)
        expect((yield* ask({ project: missing, bearer })).text).toBe(gone.text)
      }
    })
  )
})
