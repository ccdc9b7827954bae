import { writeFile } from "node:fs/promises"
import { join } from "node:path"

import type { Check, ProbeOf } from "../check/Check.ts"
import { holds, oneOf, same } from "../check/Expect.ts"
import { type FileBench, fileChecks, type FileRun } from "../families/Files.ts"
import type { FileRow, Json } from "../tables/Row.ts"
import { rowOf } from "../tables/Tables.ts"
import type { CliOptions, CliRun } from "../trial/CliProbe.ts"
import type { MintedKey, Project } from "../trial/Project.ts"
import type { Trial } from "../trial/Trial.ts"

const timeoutMs = 240_000

/** The commands of the tables that are tried. Others are for tools that declare them. */
const triable = ["dev", "deploy", "rooms", "keys"] as const
type Command = (typeof triable)[number]

const isTriable = (command: string): command is Command =>
  triable.some((known) => known === command)

/** Runs commands in a folder, as the account or with the key of a project. */
class Commands {
  readonly #trial: Trial
  readonly #key: MintedKey

  private constructor(trial: Trial, key: MintedKey) {
    this.#trial = trial
    this.#key = key
  }

  static async of(trial: Trial, project: Project): Promise<Commands> {
    return new Commands(trial, await project.key("rooms:read"))
  }

  run(command: Command, options: CliOptions & { readonly args?: ReadonlyArray<string> }) {
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
        return run("rooms")
      case "keys":
        return run("keys", "jwt-secret", ...(this.#trial.config.cli?.confirm ?? []))
    }
  }
}

/** Some of a row's bad values for one of its commands, all of them in a nightly run. */
const sampleOf = (
  trial: Trial,
  { bad }: FileRow,
  { count, at }: { readonly count: number; readonly at: number }
): ReadonlyArray<Json> => {
  if (trial.modelRuns !== null) return bad
  const first = (trial.seed + at * count) % bad.length
  return [...bad, ...bad].slice(first, first + count)
}

/** Every command of the row that is tried, with some of its bad values. */
const tryBad = async (
  trial: Trial,
  row: FileRow,
  bench: Pick<FileBench, "run" | "rest"> & { readonly count: number }
): Promise<void> => {
  for (const [at, command] of row.commands.filter(isTriable).entries()) {
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

const versionOf = async ({ ask }: Project): Promise<unknown> =>
  Object((await ask("")).json)["currentVersion"]

/** Whether a secret was made; asking makes one. */
const hasSecret = async (trial: Trial, { id, login }: Project): Promise<boolean> => {
  const path = trial.codecs.joinSecretPath(id)
  const made = await trial.send({ method: "POST", path, bearer: login, body: {} })
  return trial.codecs.joinSecret(made.json) === null
}

/** A bad value of a key is refused by the commands of its row, before anything is done. */
const badIsRefused =
  (count: number): ProbeOf =>
  (id) => {
    const row = rowOf("file", id)
    return {
      title: `${row.commands.filter(isTriable).join(", ")}: a bad ${row.key} is refused by name`,
      timeoutMs,
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
  for (const command of row.commands.filter(isTriable)) {
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

/** Runs commands in one folder with room code, whose project file it writes. */
export const runnerOf = async (trial: Trial, project: Project): Promise<FileBench["run"]> => {
  const commands = await Commands.of(trial, project)
  const folder = await trial.cli.project()
  return async (command, file) => {
    await writeFile(join(folder, "service.json"), JSON.stringify(file))
    return commands.run(isTriable(command) ? command : "deploy", { folder })
  }
}

/** What the other commands make of a file. */
const readingChecks: ReadonlyArray<Check> = [
  {
    ids: ["file.validate.project-type.absent", "file.reads.others"],
    title: "rooms and keys take a bad project as none, and look at no other key but the name",
    timeoutMs,
    run: async (trial) => {
      const project = await trial.project()
      const row = rowOf("file", "file.validate.project-type.absent")
      const unread = { client: 5, static: 5, queues: 5, boards: 5, origins: 5, audienceRole: 5 }
      const rest = { ...unread, preRelease: 5 }
      await tryBad(trial, row, { run: await runnerOf(trial, project), rest, count: 1 })
      const commands = await Commands.of(trial, project)
      const folder = await trial.cli.folder({ "service.json": '{"project":5,"boards":5}' })
      for (const command of ["rooms", "keys"] as const) {
        const named = await commands.run(command, { folder, args: ["--project", project.id] })
        done(`${command} with a bad project and --project`, named)
      }
      const mint = ["keys", "jwt-mint", "--player", "ada", "--project", project.id]
      const env = { SERVICE_JWT_SECRET: `js_${"A".repeat(43)}` }
      done("jwt-mint with a bad project", await trial.cli.run(mint, { folder, env }))
    }
  },
  {
    ids: ["file.validate.not-json"],
    title: "a file that is no JSON is refused by every command that reads it, and named",
    timeoutMs,
    run: async (trial) => {
      const project = await trial.project()
      const commands = await Commands.of(trial, project)
      const texts = ["", "{", `{"project":"${project.id}",}`, "// no\n{}"]
      const all = trial.modelRuns !== null
      for (const [at, command] of triable.entries()) {
        for (const text of all ? texts : texts.slice(at, at + 1)) {
          const folder = await trial.cli.project({ files: { "service.json": text } })
          const ran = await commands.run(command, { folder })
          refused(`${command} with ${JSON.stringify(text)}`, ran, ["service.json"])
        }
      }
      same("the deployed version", await versionOf(project), null)
    }
  },
  {
    ids: ["file.resolve.none-refused", "file.cwd-only", "file.resolve.others"],
    title: "rooms and keys ask neither a schema nor a folder above, and --project wins",
    timeoutMs,
    run: async (trial) => {
      const [flag, other] = [await trial.project(), await trial.project()]
      const commands = await Commands.of(trial, flag)
      const schema = { kind: "declaring", id: flag.id } as const
      const declaring = await trial.cli.project(schema)
      const everywhere = JSON.stringify({ project: flag.id })
      const home = await trial.cli.folder({
        "service.json": everywhere,
        ".config/service.json": everywhere,
        ".service.json": everywhere
      })
      const without = await commands.run("rooms", { folder: declaring, home })
      refused("rooms without an id", without, ["project"])
      const files = { "service.json": JSON.stringify({ project: flag.id }), "below/empty": "" }
      const above = await trial.cli.project({ files })
      const below = await commands.run("keys", { folder: join(above, "below") })
      refused("keys in a folder below", below, ["project"])
      same("whether a secret was made", await hasSecret(trial, flag), false)
      const others = await trial.cli.folder({
        "service.json": JSON.stringify({ project: other.id })
      })
      const args = ["--project", flag.id]
      done("rooms --project", await commands.run("rooms", { folder: others, args }))
    }
  },
  {
    ids: ["file.config-flag", "file.config-flag.missing-hard-error", "file.resolve.others"],
    title: "-c and --config name another file, which must be there",
    timeoutMs,
    run: async (trial) => {
      const [named, other] = [await trial.project(), await trial.project()]
      const commands = await Commands.of(trial, named)
      const folder = await trial.cli.project({
        files: {
          "service.json": JSON.stringify({ project: other.id }),
          "game.json": JSON.stringify({ project: named.id })
        }
      })
      const short = { folder, args: ["-c", "game.json"] }
      const long = { folder, args: ["--config", "game.json"] }
      done("rooms --config", await commands.run("rooms", long))
      const isThere = async () => ((await versionOf(named)) === 1 ? true : null)
      await commands.run("dev", {
        ...short,
        forMs: 90_000,
        until: () => trial.until("dev -c deploys to it", isThere, 90_000)
      })
      const deployed = await commands.run("deploy", short)
      done("deploy -c", deployed)
      holds("deploy -c names the project", deployed.stdout.includes(named.id), deployed.stdout)
      done("keys --config", await commands.run("keys", long))
      const secrets = [await hasSecret(trial, named), await hasSecret(trial, other)]
      same("which project has a secret", secrets, [true, false])
      for (const [command, flag] of [
        ["deploy", "--config"],
        ["rooms", "-c"],
        ["dev", "-c"],
        ["keys", "--config"]
      ] as const) {
        const missing = await commands.run(command, { folder, args: [flag, "nowhere/none.json"] })
        refused(`${command} with a file that is not there`, missing, ["nowhere/none.json"])
      }
      // Whether the same code is a version of its own is not said.
      oneOf("the version at the end", await versionOf(named), [1, 2])
      same("the version of the other project", await versionOf(other), null)
    }
  }
]

/** What commands make of the project file. */
export const commandFileChecks: ReadonlyArray<Check> = [
  {
    ids: ["file.validate.project-type.refused"],
    ...badIsRefused(2)("file.validate.project-type.refused")
  },
  { ids: ["file.validate.name-type"], ...badIsRefused(1)("file.validate.name-type") },
  {
    ids: ["file.validate.client-type", "file.reads.dev"],
    ...badIsRefused(2)("file.validate.client-type")
  },
  { ids: ["file.validate.audienceRole"], ...badIsRefused(3)("file.validate.audienceRole") },
  ...readingChecks
]
