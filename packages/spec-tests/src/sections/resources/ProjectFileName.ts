import { same } from "../../check/Expect.ts"
import { section, tierA, tierC } from "../Section.ts"
import { done } from "./FileCommands.ts"
import { uniqueName, fileOf, idsNamed } from "./ProjectFolders.ts"

/** Lines 116 to 120 of the specification: Project file `service.json`, the name, static files and the client. */
export const projectFileNameSection = section(
  "Resources and their fields / Project file `service.json`",
  {
    "file.name.label-only": tierA(116, "name resolves nothing; two projects may share one", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      is: { projects: 2 },
      provedBy: "file.name.order"
    }),
    "file.name.order": tierA(116, "--name, then file, then directory", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
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
    "file.name.creating-deploy-registers": tierA(
      116,
      "the creating deploy registers the resolved name",
      {
        probe: ["cli"],
        features: ["cli", "projectFile"],
        provedBy: "file.project.create-when-none"
      }
    ),
    "file.name.rename-before-upload": tierC(
      116,
      "a file name that differs on a later deploy renames before upload",
      {
        probe: ["cli"],
        hooks: ["servers"],
        features: ["cli", "projectFile", "projectFile.rename"],
        decisions: ["T-26"]
      }
    ),
    "file.name.directory-never-renames": tierA(116, "the directory fallback never renames", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      provedBy: "file.project.create-when-none"
    }),
    "file.name.init-directory": tierA(116, "init writes the directory name", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile"]
    }),
    "file.static.forms": tierA(118, "static is a directory string or {dir,label}", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"]
    }),
    "file.static.no-build": tierA(118, "deploy --static runs no build", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"]
    }),
    "file.static.all-public": tierA(118, "everything in dir is public", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"]
    }),
    "file.static.never-env": tierA(118, ".env* is never uploaded", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      is: { names: [".env", ".env.local"] }
    }),
    "file.static.never-git": tierA(118, ".git is never uploaded", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      is: { name: ".git" }
    }),
    "file.static.never-node_modules": tierA(118, "node_modules is never uploaded", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      is: { name: "node_modules" }
    }),
    "file.static.hidden-skipped": tierA(118, "other hidden files are skipped", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"]
    }),
    "file.static.include-dotfiles": tierA(118, "--include-dotfiles uploads other hidden files", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      is: { flag: "--include-dotfiles" }
    }),
    "file.static.label-subdomain": tierA(118, "label is the site subdomain", {
      probe: ["cli", "http"],
      features: ["cli", "projectFile", "staticSites"]
    }),
    "file.static.flags-win": tierA(118, "--static <dir> and --label win over the file", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      is: { flags: ["--static", "--label"] }
    }),
    "file.static.deploy-order": tierA(118, "with static set deploy ships the room then the site", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      decisions: ["T-13"],
      is: { order: ["room", "site"] }
    }),
    "file.static.no-static-flag": tierA(118, "--no-static ships only the room", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      is: { flag: "--no-static" }
    }),
    "file.static.static-flag-only": tierA(118, "--static ships only the site", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      is: { flag: "--static" }
    }),
    "file.static.without-room-valid": tierA(
      118,
      "static key with no room file is a valid project",
      { probe: ["cli"], features: ["cli", "projectFile", "staticSites"] }
    ),
    "file.static.neither-refused": tierA(
      118,
      "static deploy with neither flag nor key refuses naming both options",
      { probe: ["cli"], features: ["cli", "projectFile", "staticSites"] }
    ),
    "file.static.dev-serves": tierA(
      118,
      "dev serves dir on its own port when it holds index.html",
      {
        probe: ["cli"],
        features: ["cli", "projectFile", "staticSites"],
        decisions: ["T-13"],
        is: { when: "index.html" }
      }
    ),
    "file.static.dev-no-serve": tierA(118, "--no-serve turns that off", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      is: { flag: "--no-serve" }
    }),
    "file.client.relative": tierA(120, "client is relative to the project root", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.client"],
      decisions: ["D-41"]
    }),
    "file.client.warns-not-refuses": tierA(
      120,
      "if the import graph reaches the room file dev and deploy warn, never refuse",
      { probe: ["cli"], features: ["cli", "projectFile", "projectFile.client"] }
    ),
    "file.client.bare-external": tierA(120, "bare specifiers are external", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.client"]
    }),
    "file.client.syntax-error-silent": tierA(120, "a syntax error ends the walk silently", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.client"]
    }),
    "file.client.missing-silent": tierA(120, "a path naming nothing ends the walk silently", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.client"]
    })
  }
)
