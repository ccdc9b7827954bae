import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import {
  nameOfProject,
  projectOfDeploy,
  projectOfOthers,
  type ResolvedProject
} from "@atrium/domain/projects/ProjectFile"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"

import { type CommandFailure, Misused } from "../CommandFailure.ts"
import { failureText, rehearsalRefusal, rehearsalText } from "../migrations/RehearsalText.ts"
import { beginRehearsal, followRehearsal, hasPassed } from "../migrations/Rehearsing.ts"
import { directoryName, keepProject, type ProjectFolder } from "../projects/ProjectFolder.ts"
import { config, filled, json, paths, routeId, url } from "../projects/ProjectParameters.ts"
import { projectOfSchemas } from "../projects/SchemaProject.ts"
import { openService } from "../service/OpenService.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { loginSettings } from "../service/ServiceSettings.ts"
import { siteFlags } from "../sites/SitePlace.ts"
import { siteText, uploadSite, type SiteUploadOptions } from "../sites/SiteUpload.ts"
import { type Paint, paintOf } from "../terminal/Paint.ts"
import { withProgress } from "../terminal/Progress.ts"
import { type Deployed, type DeployWish, roomTypesText, unknownHint, upload } from "./Deploying.ts"
import { prepareDeploy, type PreparedDeploy } from "./PreparedDeploy.ts"
import { askOrigin, everyPage } from "./ProductionOrigin.ts"
import { renameProject, warn } from "./ProjectSync.ts"

const flags = {
  paths,
  config,
  url,
  project: Flag.String("project").pipe(
    Flag.withDescription("Id of the project; default: the project file's, then the schema's"),
    Flag.optional
  ),
  name: Flag.String("name").pipe(
    Flag.withDescription("Name of the project, if this deploy creates it"),
    Flag.optional
  ),
  ...siteFlags,
  allowBreaking: Flag.Boolean("allow-breaking").pipe(
    Flag.withDescription("Deploy a breaking schema: its migrations lead the stored rooms on"),
    Flag.withDefault(false)
  ),
  strategy: Flag.Literals("strategy", ["migrate", "drain"]).pipe(
    Flag.withDescription(
      "What becomes of rooms that are up: they move at once, or stay on their version until they are empty"
    ),
    Flag.withDefault("migrate" as const)
  ),
  quarantine: Flag.Boolean("quarantine").pipe(
    Flag.withDescription(
      "Go on when rooms fail in the rehearsal: these stay on their version, closed, until a later deploy leads them on"
    ),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  json
}

/** `atrium deploy`: a new version of the project's rooms, and its site. Spec: Project file; D-41. */
export const deploy = Command.make(
  "deploy",
  flags,
  Effect.fn("atrium.deploy")(function* (input) {
    const { allowBreaking, strategy, quarantine } = input
    if (quarantine && !allowBreaking) {
      return yield* new Misused({ message: "--quarantine goes with --allow-breaking" })
    }
    const flag = yield* filled("--project", input.project)
    const name = yield* filled("--name", input.name)
    const login = yield* loginSettings(input.url)
    const prepared = yield* prepareDeploy(input)
    const { folder } = prepared
    const service = yield* openService(login)
    const found = yield* projectOf(prepared, flag)
    const asks = found === null && prepared.declared.origins === undefined
    const answered = asks && !input.json ? yield* askOrigin() : {}
    const project = found ?? (yield* createProject(service, folder, name))
    if (found !== null && name === null) yield* renameProject({ service, folder, project })
    const settings = { ...prepared.declared, ...answered }
    const origin = found === null ? ` (created; its id is in ${folder.shownPath})` : ""
    const { aside } = yield* paintOf("stdout")
    const deployed = yield* send({
      service,
      prepared,
      project,
      settings,
      wish: { allowBreaking, strategy, quarantine },
      say: input.json ? () => Effect.void : sayAfter(`${aside("project")}  ${project.id}${origin}`)
    })
    const open = asks && !("origins" in answered) ? [everyPage] : []
    yield* warn(open)
    if (!input.json) return
    const warnings = [...prepared.warnings, ...open]
    const result = { project: project.id, created: found === null, ...deployed, warnings }
    yield* Console.log(JSON.stringify(result))
  })
).pipe(
  Command.withExamples([
    { command: "atrium deploy", description: "Deploy room.ts of this folder" },
    { command: "atrium deploy lobby.ts arena.ts", description: "Deploy two room files together" },
    {
      command: "atrium deploy --allow-breaking",
      description: "Deploy a breaking schema with the migration of its folder"
    },
    {
      command: "atrium deploy --allow-breaking --quarantine",
      description: "The same, and close the rooms that its migration does not lead on"
    },
    { command: "atrium deploy schema.ts", description: "Deploy a schema: rooms without code" },
    { command: "atrium deploy --static dist", description: "Publish the folder dist as the site" }
  ])
)

/** The project that exists already; `null` = this deploy creates it. Spec: Resolution order. */
const projectOf = Effect.fnUntraced(function* (
  { siteAlone, folder: { file }, bundle }: PreparedDeploy,
  flag: string | null
) {
  if (siteAlone) return projectOfOthers({ flag, file })
  const named = flag !== null || file.project !== undefined
  const schema = named || bundle === null ? null : yield* projectOfSchemas(bundle.bytes)
  return projectOfDeploy({ flag, file, schema })
})

const createProject = Effect.fnUntraced(function* (
  service: ServiceClient,
  folder: ProjectFolder,
  flag: string | null
) {
  const name = nameOfProject({ flag, file: folder.file, directory: directoryName(folder) })
  if (name === "") return yield* new Misused({ message: "name: say it, with --name" })
  const call = service.projects.create({ query: {}, payload: { name } })
  const { id } = yield* service.ask(call).pipe(withProgress("creating the project"))
  yield* keepProject(folder, id)
  const project: ResolvedProject = { id, source: "file" }
  return project
})

interface Sending {
  readonly service: ServiceClient
  readonly prepared: PreparedDeploy
  readonly project: ResolvedProject
  readonly settings: DeclaredSettings
  readonly wish: DeployWish
  /** Says a result as soon as it is one. */
  readonly say: (text: string) => Effect.Effect<void>
}

/** Sends the rooms, then the site. The settings travel with the first of them. */
const send = Effect.fnUntraced(function* (sending: Sending) {
  const { service, project, settings, say } = sending
  const { folder, bundle, site } = sending.prepared
  const target = { service, folder, project }
  if (bundle === null) {
    return site === null ? {} : { site: yield* sendSite({ ...target, ...site, settings }, say) }
  }
  const rehearsal = sending.wish.allowBreaking
    ? yield* rehearsed({ ...target, bytes: bundle.bytes, wish: sending.wish }, say)
    : null
  const rooms = yield* upload({ ...target, settings, wish: sending.wish, bytes: bundle.bytes })
  yield* say(roomsText(rooms, yield* paintOf("stdout")))
  const made = rehearsal === null ? rooms : { ...rooms, rehearsal }
  if (site === null) return made
  const sent = yield* sendSite({ ...target, ...site, settings: {} }, say).pipe(
    Effect.mapError((failure) => siteFailed(failure, rooms))
  )
  return { ...made, site: sent }
})

/** A breaking deploy goes on if its migrations lead every stored state on, or with a quarantine. Source: C-713, C-990. */
const rehearsed = Effect.fnUntraced(function* (
  {
    service,
    folder,
    project,
    bytes,
    wish
  }: Pick<Sending, "service" | "project" | "wish"> & {
    readonly folder: ProjectFolder
    readonly bytes: Uint8Array
  },
  say: Sending["say"]
) {
  const id = yield* routeId("project", project.id)
  const asked = { service, id, bytes, sample: null }
  const begun = yield* beginRehearsal(asked).pipe(unknownHint(folder, project))
  const over = yield* followRehearsal(asked, begun)
  if (wish.quarantine && over.state === "failed") {
    yield* say(`${rehearsalText(over)}\n${failureText(over)}`)
    return over
  }
  if (!hasPassed(over)) {
    return yield* rehearsalRefusal(over).withHint("nothing was deployed")
  }
  if (over.states.done > 0) yield* say(rehearsalText(over))
  return over
})

const sendSite = (options: SiteUploadOptions, say: Sending["say"]) =>
  Effect.tap(uploadSite(options), (site) =>
    Effect.flatMap(paintOf("stdout"), ({ aside }) => say(`${aside("site")}     ${siteText(site)}`))
  )

const siteFailed = (failure: CommandFailure, { version }: Deployed): CommandFailure => {
  const hint = `version ${version} of the rooms is deployed; the site is as before: \`atrium deploy --static\` deploys it alone`
  return failure._tag === "Refused"
    ? failure.withHint(hint)
    : new Misused({ message: `${failure.message}\n${hint}` })
}

/** Says texts on standard output, after a first line. */
const sayAfter = (first: string): Sending["say"] => {
  let before = `${first}\n`
  return (text) =>
    Effect.suspend(() => {
      const said = before + text
      before = ""
      return Console.log(said)
    })
}

const roomsText = (rooms: Deployed, { aside, title }: Paint): string =>
  [
    `${aside("version")}  ${title(String(rooms.version))}${rooms.made ? "" : ", as before: nothing has changed"}`,
    `${aside("bytes")}    ${rooms.bytes}`,
    `${aside("rooms")}    ${roomTypesText(rooms)}`,
    ...stepLines(rooms).map((line) => `${aside("states")}   ${line}`)
  ].join("\n")

/** What becomes of the rooms that there are, where it is not the usual. */
const stepLines = ({
  discards,
  strategy,
  quarantine,
  ...rooms
}: Deployed): ReadonlyArray<string> => [
  ...(discards === true ? ["rooms of older versions start anew, and their saves are lost"] : []),
  ...(strategy === "drain" ? ["rooms that are up stay on their version until they are empty"] : []),
  ...(quarantine === true
    ? ["rooms that fail are closed until a later version leads them on; `atrium rooms` lists them"]
    : []),
  ...(rooms.made ? (rooms.newWorlds ?? []) : []).map(
    ({ type, was, is }) =>
      `worlds of ${type} are made anew of their entities: ${was} stored them, ${is} runs`
  ),
  ...(rooms.made ? (rooms.sharing ?? []) : []).map(
    (type) =>
      `rooms of ${type} share processes: when one fails, up to 19 others go back to their last stored states`
  )
]
