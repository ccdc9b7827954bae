import type { SiteAddresses } from "@atrium/domain/sites/SiteAddress"
import { Context } from "effect"

/** How browsers reach the sites of this service, by its operator. Source: C-358. */
export const ServedSites = Context.Reference<SiteAddresses>("@atrium/api/sites/ServedSites", {
  defaultValue: () => ({ host: "localhost", ports: null })
})
