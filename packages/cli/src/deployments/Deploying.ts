import { writeDeploy } from "@atrium/domain/deployments/DeployBody"
import type { Deployment } from "@atrium/domain/deployments/DeploymentsApi"
import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { ResolvedProject } from "@atrium/domain/projects/ProjectFile"
import { Effect } from "effect"

import { hinted } from "../CommandFailure.ts"
import { withWays } from "../migrations/BreakingText.ts"
import { unknownProject } from "../projects/CommandProject.ts"
import type { ProjectFolder } from "../projects/ProjectFolder.ts"
import { routeId } from "../projects/ProjectParameters.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { withProgress } from "../terminal/Progress.ts"
import { sizeText } from "../terminal/Sizes.ts"
import { whenReady } from "./WhenReady.ts"

interface Upload {
  readonly service: ServiceClient
  readonly folder: ProjectFolder
  readonly project: ResolvedProject
  readonly bytes: Uint8Array
  /** Settings of the project that become so together with the version. */
  readonly settings: DeclaredSettings
  readonly wish?: DeployWish
}

/** What a deploy may do to the rooms that there are. */
export interface DeployWish {
  /** The bundle's migrations may lead stored state on. */
  readonly allowBreaking: boolean
  /** `drain`: rooms that are up stay on their version until they are empty. */
  readonly strategy: "migrate" | "drain"
  /** Rooms whose state cannot be led on are closed, and do not keep the version from being deployed. */
  readonly quarantine: boolean
}

const usual: DeployWish = { allowBreaking: false, strategy: "migrate", quarantine: false }

/** What the service answers to an upload: the version that it made, or that it has already. */
export type Deployed = Effect.Success<ReturnType<typeof upload>>

/** Uploads a bundle. A project that the account does not have is named, with where it is from. */
export const upload = Effect.fn("Deploying.upload")(function* (options: Upload) {
  const { service, folder, project, bytes: bundle, settings, wish = usual } = options
  const id = yield* routeId("project", project.id)
  const { body, settingsBytes } = writeDeploy({ settings, bundle })
  // Defaults are left out: an older service refuses query parameters that it does not know.
  const query = {
    ...(settingsBytes === 0 ? {} : { settingsBytes: String(settingsBytes) }),
    ...(wish.allowBreaking ? { allowBreaking: "true" as const } : {}),
    ...(wish.strategy === "drain" ? { strategy: "drain" as const } : {}),
    ...(wish.quarantine ? { quarantine: "true" as const } : {})
  }
  const call = service.projects.deploy({ params: { id }, query, payload: body })
  return yield* whenReady(service.ask(call, "transfer")).pipe(
    withProgress(`uploading ${sizeText(bundle.length)} to ${project.id}`),
    unknownHint(folder, project),
    withWays
  )
})

/** Says of a project that the account does not have where its id is from. */
export const unknownHint = (folder: ProjectFolder, project: ResolvedProject) =>
  hinted(
    "E_NOT_FOUND",
    unknownProject({ id: project.id, from: sourceOf(folder, project) }, "login")
  )

const sourceOf = (folder: ProjectFolder, { source }: ResolvedProject): string => {
  switch (source) {
    case "--project":
      return source
    case "file":
      return folder.shownPath
    case "schema":
      return "the schema"
    case "default":
      return "the default of `atrium dev`"
  }
}

/** `arena (standard, up to 64 clients)`, or `board (relay, up to 64 clients)`, of all types. */
export const roomTypesText = ({ roomTypes, relay }: Deployment): string =>
  roomTypes
    .map(({ type, ...row }) => {
      const what = relay ? "relay" : row.class
      return `${type} (${what}, up to ${row.maxClients} clients)`
    })
    .join(", ")
