import { dirname } from "node:path"

import { Effect } from "effect"

import {
  noRooms,
  openProject,
  openSiteProject,
  type ProjectPlace
} from "../projects/ProjectFolder.ts"
import { readManifest, siteWarnings } from "../sites/SiteManifest.ts"
import { type SiteInput, sitePlace, siteWish } from "../sites/SitePlace.ts"
import { clientWarnings } from "./ClientWalk.ts"
import { bundleProject } from "./ProjectBundle.ts"
import { declaredIn, fileWarnings, warn } from "./ProjectSync.ts"

/** What a deploy sends, read whole: nothing of it is refused by this machine later. */
export type PreparedDeploy = Effect.Success<ReturnType<typeof prepareDeploy>>

/** Reads what a deploy sends, and warns. Spec: Project file, static. */
export const prepareDeploy = Effect.fn("PreparedDeploy.make")(function* (
  input: SiteInput & ProjectPlace
) {
  const wish = yield* siteWish(input)
  const siteAlone = wish.ships === "site"
  const folder = yield* siteAlone ? openSiteProject(input) : openProject(input)
  const place = yield* sitePlace(folder, wish)
  const hasRooms = folder.entries.length > 0
  if (!hasRooms && place === null) return yield* noRooms(dirname(folder.shownPath))
  const declared = yield* declaredIn(folder)
  const ofFile = [...fileWarnings(folder), ...(yield* clientWarnings(folder))]
  yield* warn(ofFile)
  const bundle = hasRooms ? yield* bundleProject(folder) : null
  const site = place === null ? null : yield* readManifest(place)
  const ofSite = site === null ? [] : siteWarnings(site, folder)
  yield* warn(ofSite)
  return {
    siteAlone,
    folder,
    declared,
    /** `null` = the site is deployed alone. */
    bundle,
    /** `null` = the rooms are deployed alone. */
    site: site === null || place === null ? null : { manifest: site, label: place.label },
    warnings: [...ofFile, ...(bundle?.warnings ?? []), ...ofSite]
  }
})
