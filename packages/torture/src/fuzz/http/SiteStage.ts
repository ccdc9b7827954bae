import type { RunningService } from "@atrium/api/testing/RunningService"
import { manifestOf, siteSteps } from "@atrium/api/testing/SiteSteps"

/** Length of the content that an open upload waits for. */
export const siteFileBytes = 64

/** A project's site, and an upload of another one that waits for its only file. */
export const makeSite = async (
  service: Pick<RunningService, "url" | "token" | "project">,
  name: string
) => {
  // Labels are those of the whole service, which may have another stage.
  const label = `${name}-${service.project.replace("_", "-")}`
  const steps = siteSteps(service, () => service.project)
  await steps.deploy({ "index.html": `the site ${name}` }, { label })
  const file = Buffer.alloc(siteFileBytes, name)
  const next = { "index.html": file }
  const [listed] = manifestOf(next)
  const { status, body } = await steps.begin(next, { label })
  const upload: unknown = body["upload"]
  if (typeof upload !== "string" || listed === undefined) {
    throw new Error(`no upload has begun: ${status} ${JSON.stringify(body)}`)
  }
  return { label, upload, file, hash: listed.hash }
}
