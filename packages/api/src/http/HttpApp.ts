import { Audiences } from "@atrium/actors/rooms/Audiences"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { Api } from "@atrium/domain/http/Api"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"

import { AudienceHandlers } from "../audience/audience.ts"
import { AuditHandlers } from "../audit/audit.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import { DeployTurns } from "../deployments/DeployTurns.ts"
import { IdentityHandlers } from "../identity/identity.ts"
import { KeysHandlers } from "../keys/keys.ts"
import { ApprovalHandlers, LoginHandlers } from "../logins/login.ts"
import { KeylessAuth, LoginAuth } from "../logins/LoginAuth.ts"
import { LoginPage } from "../logins/LoginPage.ts"
import { MeHandlers } from "../logins/me.ts"
import { CapsHandlers } from "../meters/caps.ts"
import { MetricsHandlers } from "../metrics/metrics.ts"
import { MetricsRoute } from "../metrics/MetricsRoute.ts"
import { ProjectAuth } from "../projects/ProjectAuth.ts"
import { ProjectsHandlers } from "../projects/projects.ts"
import { LobbyHandlers } from "../rooms/lobby.ts"
import { RoomsHandlers } from "../rooms/rooms.ts"
import { StoreWrites } from "../start/StoreWrites.ts"
import { DocsPage } from "./DocsPage.ts"
import { errorResponse } from "./ErrorResponses.ts"
import { OpenRates } from "./OpenRates.ts"
import { StrictRequests } from "./StrictRequests.ts"

const ApiRoutes = HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide([
    ProjectsHandlers.pipe(Layer.provide([LoginAuth, ProjectAuth, DeployTurns, StrictRequests])),
    AuditHandlers.pipe(Layer.provide([LoginAuth, ProjectAuth, StrictRequests])),
    CapsHandlers.pipe(Layer.provide([ProjectAuth, StrictRequests])),
    MetricsHandlers.pipe(Layer.provide([ProjectAuth, StrictRequests])),
    KeysHandlers.pipe(Layer.provide([ProjectAuth, StrictRequests])),
    RoomsHandlers.pipe(Layer.provide([ProjectAuth, StrictRequests])),
    LobbyHandlers.pipe(Layer.provide([OpenRates.layer, StrictRequests])),
    LoginHandlers.pipe(Layer.provide([KeylessAuth, StrictRequests])),
    ApprovalHandlers.pipe(Layer.provide([LoginAuth, StrictRequests])),
    MeHandlers.pipe(Layer.provide([LoginAuth, StrictRequests])),
    IdentityHandlers.pipe(Layer.provide([OpenRates.layer, StrictRequests])),
    AudienceHandlers.pipe(Layer.provide([Audiences.layer, OpenRates.layer, StrictRequests]))
  ]),
  Layer.provide(StrictRequests),
  Layer.provide(AuditLog.layer)
)

/** The process is up. D-51. */
const Health = HttpRouter.add("GET", "/health", HttpServerResponse.json({ status: "ok" }))

/** This runner's store answers, and it takes rooms. What other runners do is theirs to say. D-51. */
const Ready = HttpRouter.add(
  "GET",
  "/ready",
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rooms = yield* AwakeRooms
    yield* answeredWithin(StoreLimits.readyAnswer.ms)(sql`select 1`)
    if (rooms.closing()) return notReady("the service is going down")
    const writes = yield* StoreWrites
    if (!(yield* writes.taken)) return notReady("the store takes no writes: its disk may be full")
    return yield* HttpServerResponse.json({ status: "ready" })
  }).pipe(Effect.catchCause(() => Effect.succeed(notReady("the store does not answer"))))
)

const notReady = (message: string) => errorResponse(new NotReady({ message }), 503)

/** Every route of the service. */
export const HttpApp = Layer.mergeAll(ApiRoutes, LoginPage, DocsPage, Health, Ready, MetricsRoute)
