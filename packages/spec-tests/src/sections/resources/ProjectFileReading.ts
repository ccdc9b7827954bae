import { holds, same, oneOf } from "../../check/Expect.ts"
import type { CliRun } from "../../trial/CliProbe.ts"
import { projectFileHeading } from "../Headings.ts"
import { fileInitRow, fileRow, fileSyncRow, staticSiteRow, toolRow } from "../RowKinds.ts"
import { section } from "../Section.ts"
import {
  Commands,
  done,
  versionOf,
  hasSecret,
  refused,
  rollsBack,
  triableOf,
  twoVersions
} from "./FileCommands.ts"
import { initKeeps, initSkipsMalformed, initTakesNoConfig } from "./ProjectFileInit.ts"
import { readers } from "./ProjectFileLiterals.ts"
import { syncsSettings } from "./StaticSites.ts"

const synced = ["queues", "boards", "origins", "audienceRole", "preRelease"]

/** How often a run has named the project file. */
const namingsOf = ({ stdout, stderr }: CliRun): number =>
  `${stdout}${stderr}`.split("service.json").length - 1

/** Lines 153 to 160 of the specification: Project file `service.json`, which command reads what. */
export const projectFileReadingSection = section(projectFileHeading, {
  "file.reads.dev": fileRow(153, "dev reads project, client", {
    decisions: ["T-13"],
    is: { reads: ["project", "client"] },
    provedBy: ["file.project.dev-default", "file.validate.client-type", "file.validate.name-type"]
  }),
  "file.reads.deploy": fileSyncRow(
    154,
    "deploy reads project, client, name, queues, boards, origins, audienceRole, preRelease",
    {
      decisions: ["T-13"],
      is: {
        reads: ["project", "client", "name", ...synced]
      },
      provedBy: [
        "file.resolve.deploy",
        "file.client.warns-not-refuses",
        "file.name.rename-before-upload",
        "queues.source-of-truth",
        "boards.source-of-truth",
        "origins.replaces-on-deploy",
        "audienceRole.synced",
        "file.preRelease.omitted"
      ]
    }
  ),
  "file.reads.deploy-static": staticSiteRow(
    155,
    "deploy-static reads project, static, name, queues, boards, origins, audienceRole, preRelease",
    {
      is: {
        reads: ["project", "static", "name", ...synced]
      },
      check: syncsSettings
    }
  ),
  "file.reads.others": fileRow(156, "others reads project", {
    is: { reads: ["project"] },
    provedBy: "file.validate.project-type.absent"
  }),
  "cli.keys.jwt-mint": toolRow(156, "keys jwt-mint exists and reads project", {
    decisions: ["D-25"],
    is: { command: "keys jwt-mint" },
    provedBy: "cli.keys.jwt-secret"
  }),
  "file.reads.init": fileInitRow(157, "init reads project, name", {
    is: { reads: ["project", "name"] },
    provedBy: "file.init.no-overwrite"
  }),
  "file.reads.none": fileRow(158, "none reads nothing", {
    is: { commands: ["simulate", "login", "whoami"], reads: [] },
    // That of login and whoami.
    provedBy: "cli.key-hosts.allowed",
    check: {
      title: "simulate does the same beside a service.json that cannot be read as without one",
      run: async (trial) => {
        const [empty, broken] = [
          await trial.cli.folder(),
          await trial.cli.folder({ "service.json": "{" })
        ]
        const words = ["simulate", ...(trial.config.cli?.simulate ?? [])]
        const without = await trial.cli.run(words, { folder: empty })
        const beside = await trial.cli.run(words, { folder: broken })
        same("the exit code", beside.code, without.code)
        same("what it says of service.json", namingsOf(beside), namingsOf(without))
      }
    }
  }),
  "file.cwd-only": fileRow(
    160,
    "./service.json of the current directory only; no upward search, no global file",
    {
      is: { path: "./service.json" },
      provedBy: ["file.resolve.none-refused", "file.project.create-when-none"]
    }
  ),
  "file.config-flag": fileRow(
    160,
    "-c/--config reads another file (dev, deploy, deploy --static, migrate create, rollback, logs, rooms, keys)",
    {
      is: { flags: ["-c", "--config"], commands: readers },
      provedBy: "cli.api-keys.mint",
      check: {
        title: "-c and --config name another file, which must be there",
        timeoutMs: 240_000,
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
          if (triableOf(trial).includes("deploy --static")) {
            const site = await commands.run("deploy --static", short)
            done("deploy --static -c", site)
            holds(
              "deploy --static -c names the project",
              site.stdout.includes(named.id),
              site.stdout
            )
          }
          if (triableOf(trial).includes("logs")) {
            done("logs --config", await commands.run("logs", long))
          }
          if (triableOf(trial).includes("migrate create")) {
            const game = JSON.stringify({ project: named.id })
            const alone = await trial.cli.project({ files: { "game.json": game } })
            const create = (...args: ReadonlyArray<string>) =>
              commands.run("migrate create", { folder: alone, args })
            refused("migrate create without a project", await create(), ["project"])
            done("migrate create -c", await create("-c", "game.json"))
          }
          if (triableOf(trial).includes("rollback")) {
            const twice = await twoVersions(trial, commands)
            const game = JSON.stringify({ project: twice.id })
            const empty = await trial.cli.folder({ "game.json": game })
            const run = (...args: ReadonlyArray<string>) =>
              commands.run("rollback", { folder: empty, args })
            refused("rollback without a project", await run(), ["project"])
            await rollsBack(twice, () => run("-c", "game.json"))
          }
          const secrets = [await hasSecret(trial, named), await hasSecret(trial, other)]
          same("which project has a secret", secrets, [true, false])
          for (const [at, command] of triableOf(trial).entries()) {
            const flag = at % 2 === 0 ? "-c" : "--config"
            const missing = await commands.run(command, {
              folder,
              args: [flag, "nowhere/none.json"]
            })
            refused(`${command} with a file that is not there`, missing, ["nowhere/none.json"])
            trial.chosen("D-41", () => same("its exit code", missing.code, 2))
          }
          // The specification does not say whether a deploy of the same code makes a new version.
          oneOf("the version at the end", await versionOf(named), [1, 2])
          same("the version of the other project", await versionOf(other), null)
        }
      }
    }
  ),
  "file.config-flag.missing-hard-error": fileRow(
    160,
    "the named file must exist, else a hard error naming the path",
    { provedBy: "file.config-flag" }
  ),
  "file.init.no-config-flag": fileInitRow(160, "init takes no -c", { check: initTakesNoConfig }),
  "file.init.no-overwrite": fileInitRow(160, "init never overwrites an existing file", {
    check: initKeeps
  }),
  "file.init.reuses-values": fileInitRow(160, "init reuses project and name found", {
    provedBy: "file.init.no-overwrite"
  }),
  "file.init.skips-malformed": fileInitRow(160, "init leaves a malformed file as it is", {
    check: initSkipsMalformed
  })
})
