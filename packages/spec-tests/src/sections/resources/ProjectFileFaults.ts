import { same } from "../../check/Expect.ts"
import type { FileRow } from "../Row.ts"
import { section, tierA, rowOf } from "../Section.ts"
import {
  Commands,
  triable,
  refused,
  versionOf,
  badIsRefused,
  tryBad,
  runnerOf,
  done
} from "./FileCommands.ts"
import { projectId, readers, deploys } from "./ProjectFileLiterals.ts"

const notText: FileRow["bad"] = ["", 0, 5, true, false, null, [], ["x"], {}]

/** Lines 166 to 175 of the specification: Project file `service.json`, what is refused. */
export const projectFileFaultsSection = section(
  "Resources and their fields / Project file `service.json`",
  {
    "file.validate.absent": tierA(
      166,
      "absent file accepted: dev uses dev, others the next source",
      {
        probe: ["cli"],
        features: ["cli", "projectFile"],
        provedBy: ["file.project.create-when-none", "file.project.dev-default"]
      }
    ),
    "file.validate.not-json": tierA(167, "invalid JSON is a hard error naming the file", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      check: {
        title: "a file that is no JSON is refused by every command that reads it, and named",
        timeoutMs: 240_000,
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
      }
    }),
    "file.validate.project-type.refused": tierA(
      168,
      "project not a non-empty string: dev and deploy refuse by name",
      {
        probe: ["cli"],
        features: ["cli", "projectFile"],
        file: {
          key: "project",
          bad: notText,
          good: [projectId],
          commands: ["dev", "deploy"],
          verdict: "refuse",
          names: ["project"]
        },
        check: badIsRefused(2)
      }
    ),
    "file.validate.project-type.absent": tierA(
      168,
      "same value: logs, rooms, rollback, keys, deploy --static treat it as absent",
      {
        probe: ["cli"],
        features: ["cli", "projectFile"],
        decisions: ["T-14"],
        file: {
          key: "project",
          bad: notText,
          good: [projectId],
          commands: ["logs", "rooms", "rollback", "keys", "deploy --static", "migrate create"],
          verdict: "absent",
          names: []
        },
        check: {
          title: "rooms and keys take a bad project as none, and look at no other key but the name",
          timeoutMs: 240_000,
          run: async (trial) => {
            const project = await trial.project()
            const row = rowOf("file", "file.validate.project-type.absent")
            const unread = {
              client: 5,
              static: 5,
              queues: 5,
              boards: 5,
              origins: 5,
              audienceRole: 5
            }
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
        }
      }
    ),
    "file.validate.name-type": tierA(
      169,
      "name not a non-empty string: every command reading the file refuses by name",
      {
        probe: ["cli"],
        features: ["cli", "projectFile"],
        decisions: ["T-13"],
        file: {
          key: "name",
          bad: notText,
          good: ["Name", "two words"],
          commands: readers,
          verdict: "refuse",
          names: ["name"]
        },
        check: badIsRefused(1)
      }
    ),
    "file.validate.static-type": tierA(
      170,
      "static neither string nor object with non-empty dir: deploy --static refuses by name",
      {
        probe: ["cli"],
        features: ["cli", "projectFile", "staticSites"],
        file: {
          key: "static",
          bad: ["", 5, true, null, [], ["dist"], {}, { dir: "" }, { dir: 5 }, { label: "site" }],
          good: ["dist", { dir: "dist" }, { dir: "dist", label: "site" }],
          commands: ["deploy --static"],
          verdict: "refuse",
          names: ["static"]
        }
      }
    ),
    "file.validate.client-type": tierA(
      171,
      "client not a non-empty string: dev and deploy refuse by name",
      {
        probe: ["cli"],
        features: ["cli", "projectFile"],
        file: {
          key: "client",
          bad: notText,
          good: ["client.ts"],
          commands: ["dev", "deploy"],
          verdict: "refuse",
          names: ["client"]
        },
        check: badIsRefused(2)
      }
    ),
    "file.validate.boards-type": tierA(172, "boards not an object: refused by name", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"],
      file: {
        key: "boards",
        bad: [5, "main", true, null, []],
        good: [{}, { main: { direction: "higher" } }],
        commands: deploys,
        verdict: "refuse",
        names: ["boards"]
      }
    }),
    "file.validate.boards-direction": tierA(
      172,
      "board without higher/lower: refused naming the board",
      {
        probe: ["cli"],
        features: ["cli", "projectFile", "projectFile.sync"],
        file: {
          key: "boards",
          bad: [{ main: {} }, { main: { direction: "up" } }, { main: { direction: 1 } }],
          good: [{ main: { direction: "higher" } }, { main: { direction: "lower" } }],
          commands: deploys,
          verdict: "refuse",
          names: ["main"]
        }
      }
    ),
    "file.validate.origins-type": tierA(
      173,
      "origins not an array of distinct non-empty strings: refused by name",
      {
        probe: ["cli"],
        features: ["cli", "projectFile", "projectFile.sync"],
        file: {
          key: "origins",
          bad: [
            "https://example.com",
            5,
            true,
            null,
            {},
            [""],
            [5],
            [null],
            ["https://example.com", "https://example.com"]
          ],
          good: [[], ["https://example.com"], ["https://example.com", "http://example.com:8080"]],
          commands: deploys,
          verdict: "refuse",
          names: ["origins"]
        }
      }
    ),
    "file.validate.origins-entry": tierA(
      174,
      "entry neither bare origin nor *: deploy refuses with the server message naming the entry",
      {
        probe: ["cli"],
        features: ["cli", "projectFile", "projectFile.sync"],
        file: {
          key: "origins",
          bad: [
            ["https://example.com/"],
            ["https://example.com/path"],
            ["example.com"],
            ["https://"],
            ["https://*.example.com"]
          ],
          good: [["*"], ["https://example.com"], ["http://example.com:8080"]],
          commands: ["deploy"],
          verdict: "refuse",
          names: ["the entry"]
        }
      }
    ),
    "file.validate.preRelease-type": tierA(175, "preRelease not true/false: refused by name", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"],
      file: {
        key: "preRelease",
        bad: [null, 0, 1, "true", "", [], {}],
        good: [true, false],
        commands: deploys,
        verdict: "refuse",
        names: ["preRelease"]
      }
    })
  }
)
