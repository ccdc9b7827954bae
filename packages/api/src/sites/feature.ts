import { SiteSweep } from "@atrium/actors/sites/SiteSweep"
import { siteTables } from "@atrium/actors/sites/SiteTables"
import { SitesApi } from "@atrium/domain/sites/SitesApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { SiteBodyTurns } from "./SiteBodyTurns.ts"
import { SiteFiles } from "./SiteFiles.ts"
import { SitesHandlers } from "./sites.ts"

export const feature = defineFeature({
  noun: "sites",
  contract: [SitesApi],
  handlers: SitesHandlers,
  layers: Layer.mergeAll(SiteBodyTurns, SiteFiles.layer),
  tables: siteTables,
  actors: SiteSweep
})
