import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { Origins } from "@atrium/domain/projects/Origins"
import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import {
  BadRequest,
  LabelTaken,
  SitePortsTaken,
  UploadIncomplete,
  UploadsFull
} from "@atrium/domain/shared/Refusal"
import { originsOf, type SitePorts } from "@atrium/domain/sites/SiteAddress"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { GiB } from "@atrium/wire/limits/Limit"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Effect } from "effect"

import type { SiteRow } from "./SiteRows.ts"

const { max: storedMax } = SiteLimits.siteStoredBytes

/** @param bytes that the project would have stored */
export const fitting = (bytes: number): Effect.Effect<void, UploadsFull> =>
  bytes <= storedMax
    ? Effect.void
    : Effect.fail(
        new UploadsFull({
          message: `files: over ${storedMax / GiB} GiB with those just replaced; try again in minutes`
        })
      )

/** The first label that no other project has. */
export const chosenLabel = (
  wanted: ReadonlyArray<string>,
  taken: ReadonlySet<string>
): Effect.Effect<string, LabelTaken> => {
  const free = wanted.find((label) => !taken.has(label))
  return free === undefined
    ? Effect.fail(
        new LabelTaken({
          message: serviceMessage(`label: taken by another project: ${wanted[0] ?? ""}`)
        })
      )
    : Effect.succeed(free)
}

/**
 * The port of a site: the one that it has, as long as the operator gives it.
 *
 * @param free the first port that no site has; `null` = every one has a site
 */
export const chosenPort = (
  ports: SitePorts | null,
  before: Pick<SiteRow, "port"> | null,
  free: number | null
): Effect.Effect<number | null, SitePortsTaken> => {
  const port = before?.port ?? null
  if (ports === null) return Effect.succeed(port)
  if (port !== null && port >= ports.from && port <= ports.to) return Effect.succeed(port)
  return free === null ? Effect.fail(new SitePortsTaken()) : Effect.succeed(free)
}

/** @param files that have not come */
export const incomplete = (files: number): UploadIncomplete =>
  new UploadIncomplete({ message: `upload: ${files} files have not come` })

/** The settings that become so with a site: those of the upload, and the origins with the site's own. */
export const settingsWith = (
  declared: DeclaredSettings,
  origins: Origins,
  site: { readonly before: string | null; readonly now: string }
): Effect.Effect<DeclaredSettings & { readonly origins: Origins }, BadRequest> => {
  const { max } = ProjectLimits.origins
  const listed = originsOf(declared.origins ?? origins, site)
  return listed.length > max
    ? Effect.fail(
        new BadRequest({ message: `origins: ${max} are listed, and the site's would be one more` })
      )
    : Effect.succeed({ ...declared, origins: listed })
}
