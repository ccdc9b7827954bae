import { same } from "../../check/Expect.ts"
import { projectFileHeading } from "../Headings.ts"
import type { FileRow } from "../Row.ts"
import { fileRow, fileSyncRow, staticSiteRow } from "../RowKinds.ts"
import { section, rowOf } from "../Section.ts"
import {
  Commands,
  rollsBack,
  triableOf,
  twoVersions,
  refused,
  versionOf,
  badIsRefused,
  tryBad,
  runnerOf,
  done
} from "./FileCommands.ts"
import { projectId, readers, deploys } from "./ProjectFileLiterals.ts"
import { badKeyIsRefused, badProjectIsNone } from "./StaticSites.ts"
import { refusedAlike } from "./SyncedKeys.ts"

const notText: FileRow["bad"] = ["", 0, 5, true, false, null, [], ["x"], {}]

/** Lines 166 to 175 of the specification: Project file `service.json`, what is refused. */
export const projectFileFaultsSection = section(projectFileHeading, {
  "file.validate.absent": fileRow(
    166,
    "absent file accepted: dev uses dev, others the next source",
    { provedBy: ["file.project.create-when-none", "file.project.dev-default"] }
  ),
  "file.validate.not-json": fileRow(167, "invalid JSON is a hard error naming the file", {
    check: {
      title: "a file that is no JSON is refused by every command that reads it, and named",
      timeoutMs: 240_000,
      run: async (trial) => {
        const project = await trial.project()
        const commands = await Commands.of(trial, project)
        const texts = ["", "{", `{"project":"${project.id}",}`, "// no\n{}"]
        const all = trial.modelRuns !== null
        for (const [at, command] of triableOf(trial).entries()) {
          const first = at % texts.length
          for (const text of all ? texts : texts.slice(first, first + 1)) {
            const folder = await trial.cli.project({ files: { "service.json": text } })
            const ran = await commands.run(command, { folder })
            refused(`${command} with ${JSON.stringify(text)}`, ran, ["service.json"])
          }
        }
        same("the deployed version", await versionOf(project), null)
      }
    }
  }),
  "file.validate.project-type.refused": fileRow(
    168,
    "project not a non-empty string: dev and deploy refuse by name",
    {
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
  "file.validate.project-type.absent": fileRow(
    168,
    "same value: logs, rooms, rollback, keys, deploy --static treat it as absent",
    {
      file: {
        key: "project",
        bad: notText,
        good: [projectId],
        commands: ["logs", "rooms", "rollback", "keys", "deploy --static", "migrate create"],
        verdict: "absent",
        names: []
      },
      check: [
        badProjectIsNone,
        {
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
            // It reads those keys, and makes a project: it has a check of its own.
            const commands = row.commands.filter((command) => command !== "deploy --static")
            await tryBad(
              trial,
              { ...row, commands },
              { run: await runnerOf(trial, project), rest, count: 1 }
            )
            const tools = await Commands.of(trial, project)
            const folder = await trial.cli.folder({ "service.json": '{"project":5,"boards":5}' })
            const readers = ["rooms", "keys", "logs"] as const
            for (const command of readers.filter((one) => triableOf(trial).includes(one))) {
              const named = await tools.run(command, { folder, args: ["--project", project.id] })
              done(`${command} with a bad project and --project`, named)
            }
            if (triableOf(trial).includes("migrate create")) {
              const rooms = await trial.cli.project({ files: { "service.json": '{"project":5}' } })
              const args = ["--project", project.id]
              const made = await tools.run("migrate create", { folder: rooms, args })
              done("migrate create with a bad project and --project", made)
            }
            if (triableOf(trial).includes("rollback")) {
              const twice = await twoVersions(trial, tools)
              const args = ["--project", twice.id]
              await rollsBack(twice, () => tools.run("rollback", { folder, args }))
            }
            const mint = ["keys", "jwt-mint", "--player", "ada", "--project", project.id]
            const env = { SERVICE_JWT_SECRET: `js_${"A".repeat(43)}` }
            done("jwt-mint with a bad project", await trial.cli.run(mint, { folder, env }))
          }
        }
      ]
    }
  ),
  "file.validate.name-type": fileRow(
    169,
    "name not a non-empty string: every command reading the file refuses by name",
    {
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
  "file.validate.static-type": staticSiteRow(
    170,
    "static neither string nor object with non-empty dir: deploy --static refuses by name",
    {
      file: {
        key: "static",
        bad: ["", 5, true, null, [], ["dist"], {}, { dir: "" }, { dir: 5 }, { label: "site" }],
        good: ["dist", { dir: "dist" }, { dir: "dist", label: "site" }],
        commands: ["deploy --static"],
        verdict: "refuse",
        names: ["static"]
      },
      check: badKeyIsRefused
    }
  ),
  "file.validate.client-type": fileRow(
    171,
    "client not a non-empty string: dev and deploy refuse by name",
    {
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
  "file.validate.boards-type": fileSyncRow(172, "boards not an object: refused by name", {
    file: {
      key: "boards",
      bad: [5, "main", true, null, []],
      good: [{}, { main: { direction: "higher" } }],
      commands: deploys,
      verdict: "refuse",
      names: ["boards"]
    },
    check: badIsRefused(2)
  }),
  "file.validate.boards-direction": fileSyncRow(
    172,
    "board without higher/lower: refused naming the board",
    {
      file: {
        key: "boards",
        bad: [{ main: {} }, { main: { direction: "up" } }, { main: { direction: 1 } }],
        good: [{ main: { direction: "higher" } }, { main: { direction: "lower" } }],
        commands: deploys,
        verdict: "refuse",
        names: ["main"]
      },
      check: badIsRefused(2)
    }
  ),
  "file.validate.origins-type": fileSyncRow(
    173,
    "origins not an array of distinct non-empty strings: refused by name",
    {
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
      },
      check: badIsRefused(2)
    }
  ),
  "file.validate.origins-entry": fileSyncRow(
    174,
    "entry neither bare origin nor *: deploy refuses with the server message naming the entry",
    {
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
      },
      check: refusedAlike("origins", "file.validate.origins-entry", (bad) => String(bad))
    }
  ),
  "file.validate.preRelease-type": fileSyncRow(175, "preRelease not true/false: refused by name", {
    file: {
      key: "preRelease",
      bad: [null, 0, 1, "true", "", [], {}],
      good: [true, false],
      commands: deploys,
      verdict: "refuse",
      names: ["preRelease"]
    },
    check: badIsRefused(2)
  })
})
