import type { SiteRow } from "@atrium/actors/sites/SiteRows"
import { siteUrl } from "@atrium/domain/sites/SiteAddress"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

import { publicUrlOf } from "../http/PublicAddress.ts"
import { ServedSites } from "./ServedSites.ts"

/** Makes addresses of sites for a caller: under the scheme and the port at which it reached the service. */
export const siteUrls = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const addresses = yield* ServedSites
  const serviceUrl = publicUrlOf(headers) ?? "http://localhost"
  return (site: Pick<SiteRow, "label" | "port">): string => siteUrl(addresses, site, serviceUrl)
})
