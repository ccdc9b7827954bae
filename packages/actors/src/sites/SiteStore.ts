import { Context, Layer } from "effect"

import { makeMemorySites } from "./MemorySites.ts"
import type { Sites } from "./SiteRows.ts"
import { makeSqlSites } from "./SqlSites.ts"

/**
 * Static sites of projects, their uploads and their content. Each method is one transaction. No method finds
 * anything of a deleted project. A failing store is a defect. Source: C-355, C-357.
 */
export class SiteStore extends Context.Service<SiteStore, Sites>()(
  "@atrium/actors/sites/SiteStore"
) {
  static readonly layerSql = Layer.effect(SiteStore, makeSqlSites)
  static readonly layerMemory = Layer.effect(SiteStore, makeMemorySites)
}
