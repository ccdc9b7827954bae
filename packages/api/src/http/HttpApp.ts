import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { AuditLog } from "../audit/AuditLog.ts"
import { features } from "../features.ts"
import { KeylessAuth, LoginAuth } from "../logins/LoginAuth.ts"
import { ProjectAuth } from "../projects/ProjectAuth.ts"
import { Api } from "./Api.ts"
import { DocsPage } from "./DocsPage.ts"
import { openapiPath } from "./KnownPaths.ts"
import { OpenRates } from "./OpenRates.ts"
import { StrictRequests } from "./StrictRequests.ts"

type Feature = (typeof features)[number]

const handlers = features.flatMap<Feature["handlers"][number]>((feature) => feature.handlers)
const pages = features.flatMap<Feature["pages"][number]>((feature) => feature.pages)

/** What a contract may ask of every request, and what handlers share. */
const Shared = Layer.mergeAll(
  LoginAuth,
  KeylessAuth,
  ProjectAuth,
  StrictRequests,
  OpenRates.layer(features.flatMap(({ rates }) => rates))
)

const ApiRoutes = HttpApiBuilder.layer(Api, { openapiPath }).pipe(
  Layer.provide(Layer.mergeAll(Layer.empty, ...handlers)),
  Layer.provide(Shared),
  Layer.provide(AuditLog.layer)
)

/** Every route of the service. */
export const HttpApp = Layer.mergeAll(ApiRoutes, DocsPage, ...pages.map(({ layer }) => layer))
