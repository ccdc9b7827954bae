import { randomBytes } from "node:crypto"
import { readFile, rename, writeFile } from "node:fs/promises"
import { basename, join, dirname } from "node:path"

import { isRefusal, isSuccess } from "../../check/Answers.ts"
import { holds, same, oneOf, Unsupported } from "../../check/Expect.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import { roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { projectFileHeading } from "../Headings.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { managementRouteIds, callOf } from "../RouteCall.ts"
import { clientRow, fileRow, sdkRow } from "../RowKinds.ts"
import { section, tierA, tierC, rowOf } from "../Section.ts"
import { done, Commands, refused, hasSecret } from "./FileCommands.ts"
import { projectId } from "./ProjectFileLiterals.ts"
import { uniqueName, idsNamed, fileOf } from "./ProjectFolders.ts"
import { createsProject } from "./StaticSites.ts"

/** Lines 104 to 114 of the specification: Project file `service.json`, the project's id. */
export const projectFileIdSection = section(projectFileHeading, {
  "file.project.form": fileRow(104, "project id is p_ + 16 hex and assigned by the service", {
    text: {
      pattern: "^p_[0-9a-f]{16}$",
      good: [projectId],
      bad: ["p_0123456789abcde", "p_0123456789abcdef0", "p_0123456789ABCDEF", "0123456789abcdef"],
      outcome: {}
    },
    provedBy: "file.project.create-when-none"
  }),
  "file.project.unknown-stops": fileRow(
    104,
    "deploying with an id that is not on the account stops and creates nothing",
    {
      check: {
        title: "a deploy with an id that the account does not have stops and makes nothing",
        timeoutMs: 240_000,
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
    }
  ),
  "file.project.never-reused": tierC(104, "ids of deleted projects are not reused", {
    probe: ["cli"],
    hooks: ["seed"],
    features: ["cli", "projectFile"],
    check: {
      title: "no new project has the id of one that was deleted",
      timeoutMs: 240_000,
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
  }),
  "file.project.create-when-none": fileRow(
    104,
    "with no id anywhere deploy and deploy --static create one and write it",
    {
      check: [
        createsProject,
        {
          title: "a deploy without any id makes a project named like the folder, and keeps its id",
          timeoutMs: 240_000,
          run: async (trial) => {
            const name = uniqueName()
            const folder = await trial.cli.project({ name })
            const another = JSON.stringify({ project: (await trial.project()).id })
            await writeFile(join(dirname(folder), "service.json"), another)
            done("the first deploy", await trial.cli.runLoggedIn(["deploy"], { folder }))
            same("projects of the folder's name", (await idsNamed(trial, name)).length, 1)
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
            // The specification does not say whether a deploy of the same code makes a new version.
            oneOf("the version after the second", await versionOf(trial, id), [1, 2])
            same("the project keeps its name", await idsNamed(trial, name), [id])
            same(
              "the file after the second",
              await readFile(join(moved, "service.json"), "utf8"),
              text
            )

            const byPath = uniqueName()
            await writeFile(join(moved, "game.json"), JSON.stringify({ name: byPath }))
            const args = ["deploy", "-c", join(basename(moved), "game.json")]
            const made = await trial.cli.runLoggedIn(args, { folder: dirname(moved) })
            const kept: unknown = JSON.parse(await readFile(join(moved, "game.json"), "utf8"))
            const projects = await idsNamed(trial, byPath)
            const unchanged = await readFile(join(moved, "service.json"), "utf8")
            trial.chosen("D-41", () => {
              done("a first deploy with -c", made)
              same("the project of its name", projects, [Object(kept)["project"]])
              same("the file that -c did not name", unchanged, text)
            })
          }
        }
      ]
    }
  ),
  "file.project.dev-default": fileRow(104, "dev without a file uses `dev`", {
    is: { project: "dev" },
    check: {
      title: "dev takes the project of the file, then dev, and reads no key but project and client",
      alone: true,
      timeoutMs: 240_000,
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
  }),
  "sdk.client.dev-fallback": sdkRow(
    104,
    "a browser client falls back to `dev` against a localhost endpoint",
    {
      is: { project: "dev" },
      check: {
        title:
          "without a project id the client library joins the project dev of a localhost endpoint",
        run: async (trial) => {
          const { hostname } = new URL(trial.config.baseUrl)
          if (!["localhost", "127.0.0.1", "[::1]"].includes(hostname)) {
            throw new Unsupported("the service is not on localhost")
          }
          const room = `fallback-${trial.seed}`
          const { sockets } = await trial.fixtures.client({
            project: null,
            room,
            type: "probe",
            forMs: 0
          })
          const { pathname } = new URL(sockets[0] ?? trial.config.baseUrl)
          same("where it connects to", pathname, trial.codecs.room.path("dev", room))
        }
      }
    }
  ),
  "project.id.public": tierA(
    104,
    "the project id is public and domain-locked by the origin list, not a credential",
    {
      alsoLines: [301],
      check: [
        {
          title: "the id of a project opens no route of its management",
          run: async (trial) => {
            const project = await trial.project()
            for (const id of managementRouteIds) {
              const call = callOf(trial, id, { project: project.id })
              const answer = await trial.send({ ...call, bearer: project.id })
              isRefusal(trial, answer, rowOf("error", "error.http.E_UNAUTHENTICATED"))
            }
          }
        },
        {
          needs: ["origins"],
          title: "with the id alone a page of a listed origin gets an identity, and no other page",
          run: async (trial) => {
            const { id, name, ask } = await trial.project()
            const body = { name, origins: ["https://game.example"] }
            const set = await ask("", { method: "PATCH", body })
            trial.chosen("D-13", () => same("whether the list is set", set.status, 200))
            const mints = async (origin: string): Promise<boolean> => {
              const identity = trial.codecs.identityBody(id)
              const asked = { path: "/v1/identity", body: identity, headers: { origin } }
              return (await trial.send({ method: "POST", ...asked })).status < 300
            }
            same("a listed page", await mints("https://game.example"), true)
            same("another page", await mints("https://other.example"), false)
            trial.saw("behaviour the origin list")
          }
        }
      ]
    }
  ),
  "file.resolve.deploy": fileRow(110, "deploy: --project, then file, then schema declaration", {
    is: { order: ["--project", "project file", "schema declaration"] },
    check: {
      title: "deploy takes the project of --project, then of the file, then of the schema",
      timeoutMs: 240_000,
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
    }
  }),
  "file.resolve.others": fileRow(
    111,
    "deploy --static, migrate create, rollback, logs, rooms, keys: --project then file",
    {
      is: { order: ["--project", "project file"] },
      provedBy: ["file.resolve.none-refused", "file.config-flag", "file.reads.deploy-static"]
    }
  ),
  "file.resolve.dev": fileRow(112, "dev: file then `dev`", {
    is: { order: ["project file", "dev"] },
    provedBy: "file.project.dev-default"
  }),
  "file.resolve.none-refused": fileRow(114, "a server-talking command with no id refuses by name", {
    check: {
      title: "rooms and keys ask neither a schema nor a folder above, and --project wins",
      timeoutMs: 240_000,
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
        const files = {
          "service.json": JSON.stringify({ project: flag.id }),
          "below/empty": ""
        }
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
    }
  }),
  "project.id.mismatch-is-join-refusal": clientRow(
    114,
    "client-schema id differing from the file surfaces as a join refusal, not a deploy error",
    {
      decisions: ["D-24"],
      check: {
        title: "a schema that names another project is deployed; its clients' joins are refused",
        run: async (trial) => {
          // The fixture's schema names a project that is none of this service's.
          const stage = await roomStage(trial, "elsewhere")
          const token = await mintIdentity(trial, stage.project)
          const named = { ...stage.project, id: "p_0123456789abcdef" }
          const socket = await trial.socket({ project: named, room: "room" })
          const { close } = await refusedJoin(socket, { token })
          trial.chosen("D-24", () =>
            same("the close", close, trial.codecs.room.closes.projectMismatch)
          )
          isSuccess(await stage.ask(""))
        }
      }
    }
  )
})

/** The version that is deployed; null = none yet. Source: D-13. */
const versionOf = async (trial: Trial, id: string): Promise<unknown> => {
  const request = { method: "GET", path: `/v1/projects/${id}`, bearer: trial.login(0) } as const
  return Object((await trial.send(request)).json)["currentVersion"]
}
