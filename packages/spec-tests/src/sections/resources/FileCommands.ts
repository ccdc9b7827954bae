import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

import type { ProbeOf } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import { type FileBench, fileChecks, type FileRun } from "../../families/Files.ts"
import type { CliOptions, CliRun } from "../../trial/CliProbe.ts"
import type { MintedKey, Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { FileRow, Json } from "../Row.ts"
import { rowOf } from "../Section.ts"

const everyTool = ["dev", "deploy", "rooms", "keys"] as const

/** The other commands of the tables, and the features that a tool with them declares. */
const declaredTools = [
  ["deploy --static", "staticSites"],
  ["migrate create", "migrations"],
  ["rollback", "rollback"],
  ["logs", "cli.logs"]
] as const

type Command = (typeof everyTool)[number] | (typeof declaredTools)[number][0]

/** The commands of the tables that are tried: those of every tool, and those that this one declares. */
export const triableOf = ({ config }: Trial): ReadonlyArray<Command> => [
  ...everyTool,
  ...declaredTools
    .filter(([, feature]) => config.features.includes(feature))
    .map(([command]) => command)
]

const triedOf = (trial: Trial, { commands }: FileRow): ReadonlyArray<Command> =>
  triableOf(trial).filter((command) => commands.includes(command))

/** Runs commands in a folder, as the account or with the key of a project. */
export class Commands {
  readonly #trial: Trial
  readonly #key: MintedKey

  private constructor(trial: Trial, key: MintedKey) {
    this.#trial = trial
    this.#key = key
  }

  static async of(trial: Trial, project: Project): Promise<Commands> {
    return new Commands(trial, await project.key("rooms:read"))
  }

  async run(
    command: Command,
    options: CliOptions & { readonly args?: ReadonlyArray<string> }
  ): Promise<CliRun> {
    const { args = [], ...others } = options
    const run = (...words: ReadonlyArray<string>): Promise<CliRun> =>
      this.#trial.cli.runLoggedIn([...words, ...args], {
        ...others,
        env: { SERVICE_API_KEY: this.#key.secret }
      })
    switch (command) {
      case "dev":
      case "deploy":
        return run(command)
      case "rooms":
      case "logs":
        return run(command)
      case "deploy --static":
        await writePage(options.folder)
        return run("deploy", "--static", pageFolder)
      case "migrate create":
        return run("migrate", "create")
      case "keys":
        return run("keys", "jwt-secret", ...(this.#trial.config.cli?.confirm ?? []))
      case "rollback":
        return run("rollback", ...(this.#trial.config.cli?.confirm ?? []))
    }
  }
}

const pageFolder = "page"

/** A folder for `deploy --static <dir>`, whatever the project file names. */
const writePage = async (folder: string | undefined): Promise<void> => {
  if (folder === undefined) throw new Error("a site is deployed out of a folder")
  await mkdir(join(folder, pageFolder), { recursive: true })
  await writeFile(join(folder, pageFolder, "index.html"), "page")
}

/**
 * Some of a row's bad values for one of its commands, all of them in a nightly run. Every other command
 * gets the first, which is the nearest to a good one.
 */
const sampleOf = (
  trial: Trial,
  { bad }: FileRow,
  { count, at }: { readonly count: number; readonly at: number }
): ReadonlyArray<Json> => {
  if (trial.modelRuns !== null) return bad
  const first = (trial.seed + at * count) % bad.length
  const drawn = [...bad, ...bad].slice(first, first + count)
  return at % 2 === 0 ? [...bad.slice(0, 1), ...drawn.slice(1)] : drawn
}

/** Every command of the row that is tried, with some of its bad values. */
export const tryBad = async (
  trial: Trial,
  row: FileRow,
  bench: Pick<FileBench, "run" | "rest"> & { readonly count: number }
): Promise<void> => {
  for (const [at, command] of triedOf(trial, row).entries()) {
    const bad = sampleOf(trial, row, { count: bench.count, at })
    await fileChecks({ ...row, bad, good: [] }, { ...bench, commands: [command] })
  }
}

/** It ended with a code other than 0, and said this. */
export const refused = (
  what: string,
  { code, stderr }: FileRun,
  names: ReadonlyArray<string>
): void => {
  holds(`${what} is refused`, code > 0, `exit ${code}: ${stderr}`)
  for (const name of names) holds(`${what} names ${name}`, stderr.includes(name), stderr)
}

export const done = (what: string, { code, stderr }: FileRun): void => {
  holds(`${what} is done`, code === 0, `exit ${code}: ${stderr}`)
}

export const versionOf = async ({ ask }: Project): Promise<unknown> =>
  Object((await ask("")).json)["currentVersion"]

/** Whether the project had a join secret already. The request makes one if it had none. */
export const hasSecret = async (trial: Trial, { id, login }: Project): Promise<boolean> => {
  const path = trial.codecs.joinSecretPath(id)
  const made = await trial.send({ method: "POST", path, bearer: login, body: {} })
  return trial.codecs.joinSecret(made.json) === null
}

/** A bad value of a key is refused by the commands of its row, before anything is done. */
export const badIsRefused =
  (count: number): ProbeOf =>
  (id) => {
    const row = rowOf("file", id)
    return {
      title: `${everyTool.filter((command) => row.commands.includes(command)).join(", ")}: a bad ${row.key} is refused by name`,
      timeoutMs: 240_000,
      run: async (trial) => {
        const project = await trial.project()
        const run = await runnerOf(trial, project)
        const rest = row.key === "project" ? {} : { project: project.id }
        await tryBad(trial, row, { run, rest, count })
        same("the deployed version", await versionOf(project), null)
        same("whether a secret was made", await hasSecret(trial, project), false)
        await goodIsTaken(trial, row)
      }
    }
  }

/** The commands of the row do with a good value what they did not with a bad one. */
const goodIsTaken = async (trial: Trial, row: FileRow): Promise<void> => {
  const project = await trial.project()
  const commands = await Commands.of(trial, project)
  const good = row.key === "project" ? project.id : (row.good[0] ?? null)
  const file = JSON.stringify({ project: project.id, [row.key]: good })
  const files = { "service.json": file, "client.ts": "export {}\n" }
  const folder = await trial.cli.project({ files })
  for (const command of triedOf(trial, row)) {
    if (command === "rollback") {
      await rollsBackWithGood(trial, row, commands)
      continue
    }
    if (command !== "dev") {
      done(`${command} with a good ${row.key}`, await commands.run(command, { folder }))
      continue
    }
    const before = await versionOf(project)
    const isNewer = async () => ((await versionOf(project)) === before ? null : true)
    await commands.run(command, {
      folder,
      forMs: 90_000,
      until: () => trial.until(`dev deploys with a good ${row.key}`, isNewer, 90_000)
    })
  }
}

/** A project with two versions, deployed by the tool. */
export const twoVersions = async (trial: Trial, commands: Commands): Promise<Project> => {
  const project = await trial.project()
  const { id } = project
  for (const kind of ["plain", "declaring"] as const) {
    const folder = await trial.cli.project({ kind, id })
    done(`deploy of ${kind}`, await commands.run("deploy", { folder, args: ["--project", id] }))
  }
  return project
}

/** A rollback is done, and what is current changes. */
export const rollsBack = async (
  project: Project,
  rollback: () => Promise<FileRun>
): Promise<void> => {
  const before = await versionOf(project)
  done("rollback", await rollback())
  const after = await versionOf(project)
  holds("the current version is another one", after !== before, String(after))
}

const rollsBackWithGood = async (trial: Trial, row: FileRow, commands: Commands): Promise<void> => {
  const project = await twoVersions(trial, commands)
  const file = JSON.stringify({ project: project.id, [row.key]: row.good[0] ?? null })
  const folder = await trial.cli.folder({ "service.json": file })
  await rollsBack(project, () => commands.run("rollback", { folder }))
}

/** Runs commands in one folder with room code, whose project file it writes. */
export const runnerOf = async (trial: Trial, project: Project): Promise<FileBench["run"]> => {
  const commands = await Commands.of(trial, project)
  const folder = await trial.cli.project()
  return async (command, file) => {
    await writeFile(join(folder, "service.json"), JSON.stringify(file))
    const tried = triableOf(trial).find((known) => known === command)
    return commands.run(tried ?? "deploy", { folder })
  }
}
