import {
  nameOfProject,
  projectOfDeploy,
  type ResolvedProject
} from "@atrium/domain/projects/ProjectFile"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import {
  directoryName,
  keepProject,
  openProject,
  type ProjectFolder
} from "../projects/ProjectFolder.ts"
import { config, filled, json, paths, url } from "../projects/ProjectParameters.ts"
import { projectOfSchemas } from "../projects/SchemaProject.ts"
import { makeServiceClient, type ServiceClient } from "../service/ServiceClient.ts"
import { loginSettings } from "../service/ServiceSettings.ts"
import { withProgress } from "../terminal/Progress.ts"
import { type Deployed, roomTypesText, upload } from "./Deploying.ts"
import { bundleProject } from "./ProjectBundle.ts"
import { declaredIn, syncProject } from "./ProjectSync.ts"

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
  json
}

/** `atrium deploy`: a new version of the project's rooms. Spec: Project file; D-41. */
export const deploy = Command.make(
  "deploy",
  flags,
  Effect.fn("atrium.deploy")(function* (input) {
    const flag = yield* filled("--project", input.project)
    const name = yield* filled("--name", input.name)
    const settings = yield* loginSettings(input.url)
    const folder = yield* openProject(input)
    const declared = yield* declaredIn(folder)
    const bundle = yield* bundleProject(folder)
    const service = yield* makeServiceClient(settings)
    const named = flag !== null || folder.file.project !== undefined
    const schema = named ? null : yield* projectOfSchemas(bundle.bytes)
    const found = projectOfDeploy({ flag, file: folder.file, schema })
    const project = found ?? (yield* createProject(service, folder, name))
    const deployment = yield* upload({ service, folder, project, bytes: bundle.bytes })
    yield* syncProject(service, { id: project.id, declared })
    const created = found === null
    yield* Console.log(
      input.json
        ? JSON.stringify({ project: project.id, created, ...deployment, warnings: bundle.warnings })
        : deployedText(project.id, { created: created ? folder.shownPath : null, deployment })
    )
  })
).pipe(
  Command.withDescription("Upload the rooms of a project as its next version"),
  Command.withExamples([
    { command: "atrium deploy", description: "Deploy room.ts of this folder" },
    { command: "atrium deploy lobby.ts arena.ts", description: "Deploy two room files together" },
    { command: "atrium deploy schema.ts", description: "Deploy a schema: rooms without code" }
  ])
)

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

const deployedText = (
  id: string,
  { created, deployment }: { readonly created: string | null; readonly deployment: Deployed }
): string => {
  const origin = created === null ? "" : ` (created; its id is in ${created})`
  return [
    `project  ${id}${origin}`,
    `version  ${deployment.version}${deployment.made ? "" : ", as before: nothing has changed"}`,
    `bytes    ${deployment.bytes}`,
    `rooms    ${roomTypesText(deployment)}`
  ].join("\n")
}
