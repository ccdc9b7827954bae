import { Effect } from "effect"

import type { ServiceClient } from "./ServiceClient.ts"
import type { ServiceAddress, ServiceSettings } from "./ServiceSettings.ts"

/** The routes of a service. The contract and HTTP are loaded here, and not for a command that only shows its help. */
export const openService = Effect.fnUntraced(function* (
  settings: ServiceAddress & Partial<ServiceSettings>
) {
  const { makeServiceClient } = yield* Effect.promise(() => import("./ServiceClient.ts"))
  const service: ServiceClient = yield* makeServiceClient(settings)
  return service
})
