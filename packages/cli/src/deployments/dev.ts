import { projectOfDev } from "@atrium/domain/projects/ProjectFile"
import { roomPath } from "@atrium/wire/frames/RoomPath"
import { Console, Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"

import type { CommandFailure } from "../CommandFailure.ts"
import { openProject, type ProjectPlace } from "../projects/ProjectFolder.ts"
import { config, paths, url } from "../projects/ProjectParameters.ts"
import { makeServiceClient, type ServiceClient } from "../service/ServiceClient.ts"
import { loginSettings, type ServiceSettings } from "../service/ServiceSettings.ts"
import { type Deployed, roomTypesText, upload } from "./Deploying.ts"
import { type DevLease, makeDevLease } from "./DevLease.ts"
import { watchFolders } from "./FolderWatch.ts"
import { bundleProject } from "./ProjectBundle.ts"

/** `atrium dev`: deploys the project to the local service, and again whenever its code changes. */
export const dev = Command.make(
  "dev",
  {
    paths,
    config,
    url,
    takeOver: Flag.Boolean("take-over").pipe(
      Flag.withDescription("Also when another folder has the project: its rooms are replaced"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    )
  },
  Effect.fn("atrium.dev")(function* (input) {
    const settings = yield* loginSettings(input.url)
    yield* Effect.raceFirst(Effect.scoped(deployOnChange(settings, input)), stopAsked)
  })
).pipe(
  Command.withDescription("Deploy to the local service, and again on every change"),
  Command.withExamples([
    { command: "atrium dev", description: "Work on room.ts of this folder" },
    { command: "atrium dev examples/arena", description: "Work on the project in that folder" }
  ])
)

const deployOnChange = Effect.fnUntraced(function* (
  settings: ServiceSettings,
  place: ProjectPlace & { readonly takeOver: boolean }
) {
  const { root, watched } = yield* openProject(place)
  const service = yield* makeServiceClient(settings)
  yield* service.health
  const lease = yield* makeDevLease({ service, folder: root, takeOver: place.takeOver })
  const { nextChange } = yield* watchFolders(watched)
  let sent: Sent | null = null
  for (let first = true; ; first = false) {
    const result: Result.Result<Sent, CommandFailure> = yield* Effect.result(
      Effect.raceFirst(deployFolder({ service, place, sent, hold: lease.hold }), lease.lost)
    )
    if (Result.isSuccess(result)) {
      if (result.success !== sent) yield* Console.log(sentText(result.success, sent, settings))
      sent = result.success
    } else {
      const { failure } = result
      // Neither a token nor a project id is mended by an edit of the room.
      const taken = failure._tag === "Refused" && failure.code === "E_DEV_HELD"
      if (taken || (first && (failure._tag === "Misused" || failure.lasting))) return yield* failure
      yield* Console.error(failure.message)
      sent = outdated(sent)
    }
    if (first) yield* Console.log(`watching ${watched.join(", ")}; Ctrl-C ends`)
    yield* Effect.raceFirst(nextChange, lease.lost)
  }
})

/** The deployment of this project that the service has. */
interface Sent {
  readonly project: string
  readonly bytes: Uint8Array
  readonly deployment: Deployed
  /** The folder held nothing since then that could not be deployed. */
  readonly upToDate: boolean
}

const outdated = (sent: Sent | null): Sent | null => sent && { ...sent, upToDate: false }

interface Redeploy {
  readonly service: ServiceClient
  readonly place: ProjectPlace
  readonly sent: Sent | null
  readonly hold: DevLease["hold"]
}

/** Deploys what is in the folder now, unless the service has just that already. */
const deployFolder = Effect.fnUntraced(function* ({ service, place, sent, hold }: Redeploy) {
  const folder = yield* openProject(place)
  const project = projectOfDev(folder.file)
  const { bytes } = yield* bundleProject(folder)
  if (sent?.project === project.id && Buffer.compare(sent.bytes, bytes) === 0) {
    return sent.upToDate ? sent : { ...sent, upToDate: true }
  }
  yield* hold(project.id)
  const deployment = yield* upload({ service, folder, project, bytes })
  return { project: project.id, bytes, deployment, upToDate: true }
})

const sentText = (now: Sent, before: Sent | null, { endpoint }: ServiceSettings): string => {
  const { project, deployment } = now
  const text = `version ${deployment.version} of ${project}`
  if (before?.bytes === now.bytes) return `${text}, as before`
  const kept = deployment.made ? "" : ", as before"
  const types = `${text}${kept}: ${roomTypesText(deployment)}`
  return before?.project === project ? types : `${types}\n${joinText(endpoint, project)}`
}

const joinText = ({ http, ws, local }: ServiceSettings["endpoint"], id: string) => {
  const options = local && id === "dev" ? "" : `, { project: "${id}" }`
  return [
    `  join     new Client("${http}"${options})`,
    `  or       ${ws}${roomPath(id, "{room}")}`
  ].join("\n")
}

/** The first SIGINT or SIGTERM ends the command in order; a second one ends the process. */
const stopAsked = Effect.callback<void>((resume) => {
  const stop = (): void => {
    unhook()
    resume(Effect.void)
  }
  const unhook = (): void => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop)
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop)
  return Effect.sync(unhook)
})
