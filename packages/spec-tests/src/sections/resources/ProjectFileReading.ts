import { holds, same, oneOf } from "../../check/Expect.ts"
import { section, tierA } from "../Section.ts"
import { Commands, done, versionOf, hasSecret, refused } from "./FileCommands.ts"
import { readers } from "./ProjectFileLiterals.ts"

const synced = ["queues", "boards", "origins", "audienceRole", "preRelease"]

/** Lines 153 to 160 of the specification: Project file `service.json`, which command reads what. */
export const projectFileReadingSection = section(
  "Resources and their fields / Project file `service.json`",
  {
    "file.reads.dev": tierA(153, "dev reads project, client", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      decisions: ["T-13"],
      is: { reads: ["project", "client"] },
      provedBy: ["file.project.dev-default", "file.validate.client-type"]
    }),
    "file.reads.deploy": tierA(
      154,
      "deploy reads project, client, name, queues, boards, origins, audienceRole, preRelease",
      {
        probe: ["cli"],
        features: ["cli", "projectFile", "projectFile.sync"],
        decisions: ["T-13"],
        is: {
          reads: ["project", "client", "name", ...synced]
        }
      }
    ),
    "file.reads.deploy-static": tierA(
      155,
      "deploy-static reads project, static, name, queues, boards, origins, audienceRole, preRelease",
      {
        probe: ["cli"],
        features: ["cli", "projectFile", "staticSites"],
        is: {
          reads: ["project", "static", "name", ...synced]
        }
      }
    ),
    "file.reads.others": tierA(156, "others reads project", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      is: { reads: ["project"] },
      provedBy: "file.validate.project-type.absent"
    }),
    "cli.keys.jwt-mint": tierA(156, "keys jwt-mint exists and reads project", {
      probe: ["cli"],
      features: ["cli"],
      decisions: ["D-25"],
      is: { command: "keys jwt-mint" },
      provedBy: "cli.keys.jwt-secret"
    }),
    "file.reads.init": tierA(157, "init reads project, name", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile"],
      is: { reads: ["project", "name"] }
    }),
    "file.reads.none": tierA(158, "none reads nothing", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      is: { commands: ["simulate", "login", "whoami"], reads: [] },
      provedBy: "cli.key-hosts.allowed"
    }),
    "file.cwd-only": tierA(
      160,
      "./service.json of the current directory only; no upward search, no global file",
      {
        probe: ["cli"],
        features: ["cli", "projectFile"],
        is: { path: "./service.json" },
        provedBy: "file.resolve.none-refused"
      }
    ),
    "file.config-flag": tierA(
      160,
      "-c/--config reads another file (dev, deploy, deploy --static, migrate create, rollback, logs, rooms, keys)",
      {
        probe: ["cli"],
        features: ["cli", "projectFile"],
        decisions: ["T-10"],
        is: { flags: ["-c", "--config"], commands: readers },
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
            holds(
              "deploy -c names the project",
              deployed.stdout.includes(named.id),
              deployed.stdout
            )
            done("keys --config", await commands.run("keys", long))
            const secrets = [await hasSecret(trial, named), await hasSecret(trial, other)]
            same("which project has a secret", secrets, [true, false])
            for (const [command, flag] of [
              ["deploy", "--config"],
              ["rooms", "-c"],
              ["dev", "-c"],
              ["keys", "--config"]
            ] as const) {
              const missing = await commands.run(command, {
                folder,
                args: [flag, "nowhere/none.json"]
              })
              refused(`${command} with a file that is not there`, missing, ["nowhere/none.json"])
            }
            // The specification does not say whether a deploy of the same code makes a new version.
            oneOf("the version at the end", await versionOf(named), [1, 2])
            same("the version of the other project", await versionOf(other), null)
          }
        }
      }
    ),
    "file.config-flag.missing-hard-error": tierA(
      160,
      "the named file must exist, else a hard error naming the path",
      { probe: ["cli"], features: ["cli", "projectFile"], provedBy: "file.config-flag" }
    ),
    "file.init.no-config-flag": tierA(160, "init takes no -c", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile"]
    }),
    "file.init.no-overwrite": tierA(160, "init never overwrites an existing file", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile"]
    }),
    "file.init.reuses-values": tierA(160, "init reuses project and name found", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile"]
    }),
    "file.init.skips-malformed": tierA(160, "init leaves a malformed file as it is", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile"]
    })
  }
)
