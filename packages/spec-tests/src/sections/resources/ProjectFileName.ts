import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

import { holds, same, Untestable } from "../../check/Expect.ts"
import type { Trial } from "../../trial/Trial.ts"
import { projectFileHeading } from "../Headings.ts"
import { fileClientRow, fileInitRow, fileRow, staticSiteRow } from "../RowKinds.ts"
import { section, tierA } from "../Section.ts"
import { done, runnerOf, versionOf } from "./FileCommands.ts"
import { uniqueName, fileOf, idsNamed } from "./ProjectFolders.ts"
import { labelsAreNames, switchesWhole } from "./SiteUploads.ts"
import { isReadByBrowsers } from "./SiteVisits.ts"
import {
  deploysInOrder,
  devServes,
  needsNoRoom,
  neitherIsRefused,
  publishesTheFolder,
  takesBothForms
} from "./StaticSites.ts"

/** Lines 116 to 120 of the specification: Project file `service.json`, the name, static files and the client. */
export const projectFileNameSection = section(projectFileHeading, {
  "file.name.label-only": fileRow(116, "name resolves nothing; two projects may share one", {
    is: { projects: 2 },
    provedBy: "file.name.order"
  }),
  "file.name.order": fileRow(116, "--name, then file, then directory", {
    is: { order: ["--name", "project file", "directory name"] },
    check: {
      title: "a new project is named by --name, then by the file, whose other keys stay",
      timeoutMs: 240_000,
      run: async (trial) => {
        const [inFile, byFlag] = [uniqueName(), uniqueName()]
        const keys = {
          name: inFile,
          orgins: ["https://example.com"],
          further: [1, { two: null }]
        }
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
    }
  }),
  "file.name.creating-deploy-registers": fileRow(
    116,
    "the creating deploy registers the resolved name",
    { provedBy: "file.project.create-when-none" }
  ),
  "file.name.rename-before-upload": tierA(
    116,
    "a file name that differs on a later deploy renames before upload",
    {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.rename"],
      decisions: ["T-26"],
      check: {
        title: "another name in the file renames the project, also when the upload is refused",
        timeoutMs: 240_000,
        run: async (trial) => {
          const project = await trial.project()
          const run = await runnerOf(trial, project)
          const named = async (): Promise<unknown> => Object((await project.ask("")).json)["name"]
          const [first, second] = [uniqueName(), uniqueName()]
          done("a deploy", await run("deploy", { project: project.id, name: first }))
          same("the name", await named(), first)
          done("a deploy without one", await run("deploy", { project: project.id }))
          same("the name after it", await named(), first)
          // Code that no service takes: it fails where it is loaded, which the tool need not do.
          const folder = await trial.cli.project({
            files: { "service.json": JSON.stringify({ project: project.id, name: second }) }
          })
          const room = await roomFileIn(folder)
          await appendFile(join(folder, room), '\nthrow new Error("not today")\n')
          const refused = await trial.cli.runLoggedIn(["deploy"], { folder })
          holds("the upload is refused", refused.code > 0, refused.stderr)
          same("the name after it", await named(), second)
        }
      }
    }
  ),
  "file.name.directory-never-renames": fileRow(116, "the directory fallback never renames", {
    provedBy: "file.project.create-when-none"
  }),
  "file.name.init-directory": fileInitRow(116, "init writes the directory name", {
    provedBy: "file.init.writes-name"
  }),
  "file.static.forms": staticSiteRow(118, "static is a directory string or {dir,label}", {
    check: takesBothForms
  }),
  "file.static.no-build": staticSiteRow(118, "deploy --static runs no build", {
    provedBy: "file.static.all-public"
  }),
  "file.static.all-public": staticSiteRow(118, "everything in dir is public", {
    check: [publishesTheFolder, isReadByBrowsers]
  }),
  "file.static.never-env": staticSiteRow(118, ".env* is never uploaded", {
    is: { names: [".env", ".env.local"] },
    provedBy: "file.static.all-public"
  }),
  "file.static.never-git": staticSiteRow(118, ".git is never uploaded", {
    is: { name: ".git" },
    provedBy: "file.static.all-public"
  }),
  "file.static.never-node_modules": staticSiteRow(118, "node_modules is never uploaded", {
    is: { name: "node_modules" },
    provedBy: "file.static.all-public"
  }),
  "file.static.hidden-skipped": staticSiteRow(118, "other hidden files are skipped", {
    provedBy: "file.static.all-public"
  }),
  "file.static.include-dotfiles": staticSiteRow(
    118,
    "--include-dotfiles uploads other hidden files",
    { is: { flag: "--include-dotfiles" }, provedBy: "file.static.all-public" }
  ),
  "file.static.label-subdomain": tierA(118, "label is the site subdomain", {
    probe: ["cli", "http"],
    features: ["cli", "projectFile", "staticSites"],
    provedBy: "file.static.forms",
    check: labelsAreNames
  }),
  "file.static.flags-win": staticSiteRow(118, "--static <dir> and --label win over the file", {
    is: { flags: ["--static", "--label"] },
    provedBy: "file.static.forms"
  }),
  "file.static.deploy-order": staticSiteRow(
    118,
    "with static set deploy ships the room then the site",
    {
      decisions: ["T-13"],
      is: { order: ["room", "site"] },
      check: [deploysInOrder, switchesWhole]
    }
  ),
  "file.static.no-static-flag": staticSiteRow(118, "--no-static ships only the room", {
    is: { flag: "--no-static" },
    provedBy: "file.static.deploy-order"
  }),
  "file.static.static-flag-only": staticSiteRow(118, "--static ships only the site", {
    is: { flag: "--static" },
    provedBy: "file.static.deploy-order"
  }),
  "file.static.without-room-valid": staticSiteRow(
    118,
    "static key with no room file is a valid project",
    { check: needsNoRoom }
  ),
  "file.static.neither-refused": staticSiteRow(
    118,
    "static deploy with neither flag nor key refuses naming both options",
    { check: neitherIsRefused }
  ),
  "file.static.dev-serves": staticSiteRow(
    118,
    "dev serves dir on its own port when it holds index.html",
    { decisions: ["T-13"], is: { when: "index.html" }, check: devServes }
  ),
  "file.static.dev-no-serve": staticSiteRow(118, "--no-serve turns that off", {
    is: { flag: "--no-serve" },
    provedBy: "file.static.dev-serves"
  }),
  "file.client.relative": fileClientRow(120, "client is relative to the project root", {
    decisions: ["D-41"],
    provedBy: "file.client.warns-not-refuses"
  }),
  "file.client.warns-not-refuses": fileClientRow(
    120,
    "if the import graph reaches the room file dev and deploy warn, never refuse",
    {
      check: {
        title: "deploy and dev warn of a client that imports room code, and of no other",
        timeoutMs: 240_000,
        run: clientsAreWalked
      }
    }
  ),
  "file.client.bare-external": fileClientRow(120, "bare specifiers are external", {
    provedBy: "file.client.warns-not-refuses"
  }),
  "file.client.syntax-error-silent": fileClientRow(120, "a syntax error ends the walk silently", {
    provedBy: "file.client.warns-not-refuses"
  }),
  "file.client.missing-silent": fileClientRow(120, "a path naming nothing ends the walk silently", {
    provedBy: "file.client.warns-not-refuses"
  })
})

const roomFileIn = async (folder: string): Promise<string> => {
  const room = (await readdir(folder)).find((name) => /^room\.\w+$/.test(name))
  if (room === undefined) throw new Untestable("the project of the configuration has no room file")
  return room
}

async function clientsAreWalked(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { id } = project
  const folder = await trial.cli.project()
  const room = await roomFileIn(folder)
  const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
  }
  const deploy = async (client: string | null): Promise<string> => {
    await write({
      "service.json": JSON.stringify({ project: id, ...(client === null ? {} : { client }) })
    })
    const ran = await trial.cli.runLoggedIn(["deploy"], { folder })
    done(`a deploy with the client ${client}`, ran)
    // Progress is told where it takes long, which is no warning.
    const lines = ran.stderr.split("\n").filter((line) => !line.endsWith("…"))
    return lines.join("\n")
  }
  const quiet = await deploy(null)
  holds("a warning without a client", !quiet.includes(room), quiet)
  await write({
    "web/through.ts": `import "./further.ts"`,
    "web/further.ts": `import "../${room}"`,
    "web/bare.ts": 'import "packaged"',
    "web/broken.ts": `import "../${room}"; const`,
    "node_modules/packaged/package.json": '{"name":"packaged","main":"index.js"}',
    "node_modules/packaged/index.js": `import "../../${room}"`
  })
  for (const client of ["web/bare.ts", "web/broken.ts", "web/nowhere.ts"]) {
    same(`what is said of ${client}`, await deploy(client), quiet)
  }
  const warned = await deploy("web/through.ts")
  holds("the warning names the room file", warned.includes(room), warned)
  const before = await versionOf(project)
  await write({ [room]: `${await readFile(join(folder, room), "utf8")}\nexport const more = 1\n` })
  const isNewer = async () => ((await versionOf(project)) === before ? null : true)
  const dev = await trial.cli.runLoggedIn(["dev"], {
    folder,
    forMs: 90_000,
    until: () => trial.until("dev deploys all the same", isNewer, 90_000)
  })
  holds("dev warns, too", dev.stderr.includes(room), dev.stderr)
}
