import { basename } from "node:path"

import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { defaultAddress } from "../keys/KeyDestination.ts"
import { findLogin } from "../logins/LoginsFile.ts"
import { readProjectText, shown } from "../projects/ProjectFileText.ts"
import { filled, json, url } from "../projects/ProjectParameters.ts"
import { serviceAddress, tokenIsNamed } from "../service/ServiceSettings.ts"
import { printable } from "../terminal/Printable.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"
import { type FoundProject, foundProject } from "./FoundProject.ts"
import { chooseAnswers } from "./InitAnswers.ts"
import { initFolder, readExample, writeMissing } from "./InitFolder.ts"
import { nextCommands } from "./NextCommands.ts"
import { templateFiles } from "./TemplateFiles.ts"
import { templates } from "./Templates.ts"

const parameters = {
  folder: Argument.String("folder").pipe(
    Argument.withDescription("Where the project is made; default: this folder"),
    Argument.withDefault(".")
  ),
  template: Flag.ChoiceWithValue(
    "template",
    templates.map((template) => [template.name, template] as const)
  ).pipe(
    Flag.withDescription(templates.map(({ name, says }) => `${name} = ${says}`).join("; ")),
    Flag.optional
  ),
  name: Flag.String("name").pipe(
    Flag.withDescription("The project's name; default: that of the folder"),
    Flag.optional
  ),
  static: Flag.Boolean("static").pipe(
    Flag.withDescription("Whether a deploy publishes the page with the room; default: yes"),
    Flag.optional
  ),
  yes: Flag.Boolean("yes").pipe(
    Flag.withAlias("y"),
    Flag.withDescription("Ask nothing: take the defaults"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  url,
  json
}

/**
 * `atrium init`: writes a game that runs. It overwrites nothing, and sends nothing to the service.
 * Spec: Project file; C-380.
 */
export const init = Command.make(
  "init",
  parameters,
  Effect.fn("atrium.init")(function* (input) {
    const cwd = yield* WorkingDirectory
    const { endpoint, origin } = yield* serviceAddress(input.url)
    const name = yield* filled("--name", input.name)
    const folder = yield* initFolder(input.folder)
    const found = yield* readFound(
      folder,
      Option.getOrElse(input.static, () => false)
    )
    const chosen = yield* chooseAnswers({
      template: Option.getOrNull(input.template),
      name: found.name ?? name,
      static: found.static ?? Option.getOrNull(input.static),
      directory: basename(folder) || "game",
      ask: !input.yes
    })
    const service = endpoint.http
    const at = service === defaultAddress ? "" : ` --url ${service}`
    const example = yield* readExample(chosen.template)
    const { written, kept } = yield* writeMissing(
      folder,
      templateFiles({ ...chosen, service, at }, example)
    )
    const known = (yield* tokenIsNamed) || (yield* findLogin(origin)) !== null
    const ownPackage = written.includes("package.json")
    const done: Initialised = {
      folder,
      template: chosen.template.name,
      name: chosen.name,
      project: found.project,
      static: chosen.static,
      service,
      written,
      kept,
      login: known ? null : `npx atrium login${at}`,
      next: nextCommands({ folder: shown(cwd, folder), ownPackage, service, at })
    }
    yield* Console.log(input.json ? JSON.stringify(done) : doneText(done))
  })
).pipe(
  Command.withExamples([
    { command: "atrium init my-game --template turns" },
    { command: "atrium init --yes", description: "In this folder, without questions" },
    {
      command: "atrium init --json",
      description:
        "folder, template, name, project, static, service, written, kept, login and next, the commands"
    }
  ])
)

/** What `--json` says. */
interface Initialised {
  readonly folder: string
  readonly template: string
  readonly name: string
  readonly project: string | null
  readonly static: boolean
  readonly service: string
  readonly written: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string>
  /** The command before `next` where nobody is logged in. */
  readonly login: string | null
  readonly next: ReadonlyArray<string>
}

/** What an earlier project file says. A malformed one is left alone. */
const readFound = Effect.fnUntraced(function* (folder: string, wantsStatic: boolean) {
  const { text, shownPath } = yield* readProjectText(folder, Option.none())
  const found: FoundProject = foundProject(text)
  if (found.fault !== null) {
    const fault = printable(found.fault)
    yield* Console.error(`${shownPath}: ${fault}; it stays as it is: mend it before you deploy`)
  } else if (wantsStatic && found.static === false) {
    yield* Console.error(`${shownPath}: stays as it is; add "static": "dist" to publish the page`)
  }
  return found
})

const doneText = (done: Initialised): string => {
  const { template, folder, written, kept, login, next, service } = done
  return [
    `${template} in ${printable(folder)}:`,
    ...(written.length === 0 ? [] : [`  written  ${written.join(", ")}`]),
    ...(kept.length === 0 ? [] : [`  kept     ${kept.join(", ")}`]),
    "",
    ...next.map((command) => `  ${printable(command)}`),
    ...(login === null
      ? []
      : ["", `Nobody is logged in at ${service}: after the first command, run \`${login}\`.`])
  ].join("\n")
}
