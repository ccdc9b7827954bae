import { randomBytes } from "node:crypto"
import { readFile, rename } from "node:fs/promises"
import { dirname, join } from "node:path"

import type { Check } from "../check/Check.ts"
import { holds, Mismatch, oneOf, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import type { CliRun } from "../trial/CliProbe.ts"
import type { Trial } from "../trial/Trial.ts"
import { audienceFileChecks } from "./audienceFile.ts"
import { bundleCheck } from "./bundles.ts"
import { commandFileChecks } from "./projectFileCommands.ts"

const timeoutMs = 240_000

const done = (what: string, { code, stderr }: CliRun): void => {
  holds(`${what} is done`, code === 0, `exit ${code}: ${stderr}`)
}

const uniqueName = (): string => `conformance-${randomBytes(6).toString("hex")}`

/** The account's projects by name; other checks make projects meanwhile. Source: D-13. */
const idsNamed = async (trial: Trial, name: string): Promise<ReadonlyArray<string>> => {
  const bearer = trial.login(0)
  const { json, text } = await trial.send({ method: "GET", path: "/v1/projects", bearer })
  if (!Array.isArray(json)) throw new Mismatch("projects", { expected: "a list", actual: text })
  const named = json.filter((row: unknown) => Object(row)["name"] === name)
  return named.map((row: unknown) => String(trial.codecs.projectId(row)))
}

/** The version that is deployed; null = none yet. Source: D-13. */
const versionOf = async (trial: Trial, id: string): Promise<unknown> => {
  const request = { method: "GET", path: `/v1/projects/${id}`, bearer: trial.login(0) } as const
  return Object((await trial.send(request)).json)["currentVersion"]
}

const fileOf = async (folder: string): Promise<Readonly<Record<string, unknown>>> =>
  Object(JSON.parse(await readFile(join(folder, "service.json"), "utf8")))

/** Deploys: which project they make or take, and what they write. */
const deployChecks: ReadonlyArray<Check> = [
  {
    ids: [
      ...(["file.project.create-when-none", "file.project.form"] as const),
      "file.first-deploy-adds-project",
      "file.no-secrets",
      "file.project.omitted",
      "file.name.omitted",
      "file.name.creating-deploy-registers",
      "file.name.directory-never-renames",
      "file.validate.absent"
    ],
    title: "a deploy without any id makes a project named like the folder, and keeps its id",
    timeoutMs,
    run: async (trial) => {
      const name = uniqueName()
      const folder = await trial.cli.project({ name })
      done("the first deploy", await trial.cli.runLoggedIn(["deploy"], { folder }))
      const file = await fileOf(folder)
      same("the keys of the file", Object.keys(file), ["project"])
      const id = String(file["project"])
      const { pattern } = rowOf("text", "file.project.form")
      holds("the form of the id", new RegExp(pattern).test(id), id)
      same("the projects of that name", await idsNamed(trial, name), [id])
      same("the deployed version", await versionOf(trial, id), 1)
      const text = await readFile(join(folder, "service.json"), "utf8")
      for (const secret of [trial.login(0), new URL(trial.config.baseUrl).host]) {
        holds("neither a secret nor an address is in the file", !text.includes(secret), text)
      }

      const moved = join(dirname(folder), uniqueName())
      await rename(folder, moved)
      done("the second deploy", await trial.cli.runLoggedIn(["deploy"], { folder: moved }))
      // Whether the same code is a version of its own is not said.
      oneOf("the version after the second", await versionOf(trial, id), [1, 2])
      same("the project keeps its name", await idsNamed(trial, name), [id])
      same("the file after the second", await readFile(join(moved, "service.json"), "utf8"), text)
    }
  },
  {
    ids: [
      ...(["file.name.order", "file.name.label-only", "file.name.type"] as const),
      "file.first-deploy-adds-project",
      "file.unknown-keys-ignored",
      "file.all-optional"
    ],
    title: "a new project is named by --name, then by the file, whose other keys stay",
    timeoutMs,
    run: async (trial) => {
      const [inFile, byFlag] = [uniqueName(), uniqueName()]
      const keys = { name: inFile, orgins: ["https://example.com"], further: [1, { two: null }] }
      const written = { "service.json": `${JSON.stringify(keys, null, 4)}\n` }
      const first = await trial.cli.project({ files: written })
      done("the deploy", await trial.cli.runLoggedIn(["deploy"], { folder: first }))
      const { project, ...others } = await fileOf(first)
      same("the other keys of the file", others, keys)
      same("the project of the file's name", await idsNamed(trial, inFile), [project])

      const second = await trial.cli.project({ files: written })
      done("another deploy", await trial.cli.runLoggedIn(["deploy"], { folder: second }))
      const both = [project, (await fileOf(second))["project"]].map(String).toSorted()
      same("two projects share a name", (await idsNamed(trial, inFile)).toSorted(), both)
      same("they are two", new Set(both).size, 2)

      const otherName = JSON.stringify({ name: uniqueName() })
      const named = await trial.cli.project({ files: { "service.json": otherName } })
      const args = ["deploy", "--name", byFlag]
      done("a deploy with --name", await trial.cli.runLoggedIn(args, { folder: named }))
      const id = (await fileOf(named))["project"]
      same("the project of --name", await idsNamed(trial, byFlag), [id])
    }
  },
  {
    ids: ["file.resolve.deploy", "file.client.type", "file.project.type"],
    title: "deploy takes the project of --project, then of the file, then of the schema",
    timeoutMs,
    run: async (trial) => {
      const [flag, file, schema] = [
        await trial.project(),
        await trial.project(),
        await trial.project()
      ]
      const versions = () =>
        Promise.all([flag, file, schema].map((each) => versionOf(trial, each?.id ?? "")))
      const keys = JSON.stringify({ project: file?.id, client: "client.ts" })
      const files = { "service.json": keys, "client.ts": "export {}\n" }
      const project = { kind: "declaring", id: schema?.id ?? "" } as const
      const all = await trial.cli.project({ ...project, files })
      const args = ["deploy", "--project", flag?.id ?? ""]
      done("with all three", await trial.cli.runLoggedIn(args, { folder: all }))
      same("versions after --project", await versions(), [1, null, null])
      done("without the flag", await trial.cli.runLoggedIn(["deploy"], { folder: all }))
      same("versions after the file's", await versions(), [1, 1, null])
      const bare = await trial.cli.project(project)
      done("with the schema alone", await trial.cli.runLoggedIn(["deploy"], { folder: bare }))
      same("versions after the schema's", await versions(), [1, 1, 1])
    }
  },
  {
    ids: ["file.project.unknown-stops"],
    title: "a deploy with an id that the account does not have stops and makes nothing",
    timeoutMs,
    run: async (trial) => {
      const foreign = await trial.project(1)
      for (const id of [`p_${randomBytes(8).toString("hex")}`, foreign.id]) {
        const name = uniqueName()
        const files = { "service.json": JSON.stringify({ project: id, name }) }
        const folder = await trial.cli.project({ name, files })
        const stopped = await trial.cli.runLoggedIn(["deploy"], { folder })
        holds("it is refused", stopped.code > 0, stopped.code)
        holds("it names the id", stopped.stderr.includes(id), stopped.stderr)
        same("projects of that name", await idsNamed(trial, name), [])
        const file = await readFile(join(folder, "service.json"), "utf8")
        same("the file", file, files["service.json"])
      }
      const record = await foreign.ask("")
      same("the stranger's project", Object(record.json)["currentVersion"], null)
    }
  }
]

/** Ids that are free again, in any numbering, come among the next few. */
const reuseCheck: Check = {
  ids: ["file.project.never-reused"],
  title: "no new project has the id of one that was deleted",
  timeoutMs,
  run: async (trial) => {
    const deleted = new Set<string>()
    for (let made = 0; made < 5; made++) {
      const { id, ask } = await trial.project()
      const { status } = await ask("", { method: "DELETE" })
      holds("a project is deleted", status < 300, status)
      deleted.add(id)
    }
    same("ids of projects that followed a deletion", deleted.size, 5)
    for (let made = 0; made < (trial.modelRuns ?? 40); made++) {
      const { id } = await trial.project()
      holds("a new id", !deleted.has(id), id)
    }
  }
}

/** `dev`, which deploys until it is ended. */
const devChecks: ReadonlyArray<Check> = [
  {
    ids: ["file.project.dev-default", "file.resolve.dev", "file.reads.dev", "file.validate.absent"],
    title: "dev takes the project of the file, then dev, and reads no key but project and client",
    alone: true,
    timeoutMs,
    run: async (trial) => {
      const reaches = async (folder: string, id: string): Promise<void> => {
        const before = await versionOf(trial, id)
        const isNewer = async () => ((await versionOf(trial, id)) === before ? null : true)
        await trial.cli.runLoggedIn(["dev"], {
          folder,
          forMs: 90_000,
          until: () => trial.until(`a deploy to ${id}`, isNewer, 90_000)
        })
      }
      // Code that the project dev does not have yet: what is there already may be no new version.
      const other = await trial.project()
      await reaches(await trial.cli.project({ kind: "declaring", id: other.id }), "dev")
      same("the project of the schema", await versionOf(trial, other.id), null)
      const { id } = await trial.project()
      const unread = { queues: 5, boards: 5, origins: 5, audienceRole: 5, preRelease: 5 }
      const files = { "service.json": JSON.stringify({ project: id, ...unread }) }
      await reaches(await trial.cli.project({ files }), id)
    }
  }
]

export const projectFileChecks: ReadonlyArray<Check> = [
  ...deployChecks,
  ...devChecks,
  ...commandFileChecks,
  ...audienceFileChecks,
  bundleCheck,
  reuseCheck
]
