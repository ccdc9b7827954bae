import { appendFile, readdir } from "node:fs/promises"
import { join } from "node:path"

import type { Probe } from "../../check/Check.ts"
import { holds, same, Untestable } from "../../check/Expect.ts"
import { fileChecks } from "../../families/Files.ts"
import { sitePage } from "../../trial/SitePage.ts"
import { rowOf } from "../Section.ts"
import { done, refused, versionOf } from "./FileCommands.ts"
import { fileOf, idsNamed, uniqueName } from "./ProjectFolders.ts"
import { type Files, SiteStage, uniqueLabel } from "./SiteStage.ts"

const timeoutMs = 240_000

const roomOf = async (folder: string): Promise<string> => {
  const room = (await readdir(folder)).find((name) => /^room\.\w+$/.test(name))
  if (room === undefined) throw new Untestable("the project of the configuration has no room file")
  return join(folder, room)
}

/** The same files in another folder, each with a text of its own. */
const filesIn = (folder: string, names: ReadonlyArray<string>): Files =>
  Object.fromEntries(names.map((name) => [`${folder}${name}`, `the text of ${name}`]))

export const publishesTheFolder: Probe = {
  title:
    "a site has every file of its folder as it is, hidden ones when they are asked for, private ones never",
  timeoutMs,
  run: async (trial) => {
    const open = ["index.html", "deep/er/a b.txt", "env", "git/config", "my_node_modules.js"]
    const hidden = [".hidden", "deep/.also/x.txt"]
    const never = [".env", ".env.local", "deep/.env", ".git/config", "deep/.git/x"].concat([
      "node_modules/a.js",
      "deep/node_modules/b.js"
    ])
    const stage = await SiteStage.of(trial)
    await stage.declares({ static: "dist" })
    await stage.write(filesIn("dist/", [...open, ...hidden, ...never]))
    const scripts = { build: "echo built > dist/index.html", prebuild: "echo > dist/env" }
    await stage.write({ "package.json": JSON.stringify({ scripts }), "beside.txt": "beside" })
    await stage.deployed("--static")
    await stage.serves("by itself", filesIn("", open))
    await stage.hides("by itself", filesIn("", [...hidden, ...never, "beside.txt"]))
    await stage.deployed("--static", "--include-dotfiles")
    await stage.serves("with --include-dotfiles", filesIn("", [...open, ...hidden]))
    await stage.hides("with --include-dotfiles", filesIn("", never))
  }
}

export const takesBothForms: Probe = {
  title: "static is a folder or an object with a label; --static and --label win over it",
  timeoutMs,
  run: async (trial) => {
    const [ofFile, ofFlag] = [uniqueLabel(), uniqueLabel()]
    const stage = await SiteStage.of(trial)
    await stage.write({ "dist/index.html": "one", "sub/two/index.html": "two" })
    const isAt = async (what: string, label: string): Promise<void> => {
      const url = await stage.url()
      holds(
        `${what}: the label is the first name of the host`,
        url?.hostname.startsWith(`${label}.`) === true,
        String(url)
      )
    }
    await stage.declares({ static: "dist" })
    await stage.deployed("--static")
    await stage.serves("a text", { "index.html": "one" })
    await stage.declares({ static: { dir: "sub/two", label: ofFile } })
    await stage.deployed("--static")
    await stage.serves("an object", { "index.html": "two" })
    await isAt("an object", ofFile)
    await stage.deployed("--static", "dist", "--label", ofFlag)
    await stage.serves("--static <dir>", { "index.html": "one" })
    await isAt("--label", ofFlag)
  }
}

export const deploysInOrder: Probe = {
  title:
    "deploy ships the rooms, then the site; --no-static the rooms alone, --static the site alone",
  timeoutMs,
  run: async (trial) => {
    const stage = await SiteStage.of(trial, { rooms: true })
    const { project, folder } = stage
    const room = await roomOf(folder)
    const addCode = (code: string) => appendFile(room, `\n${code}\n`)
    const isNow = async (what: string, version: number | null, text: string | null) => {
      same(`${what}: the version of the rooms`, await versionOf(project), version)
      if (text === null) same(`${what}: the site`, await stage.url(), null)
      else await stage.serves(what, { "index.html": text })
    }
    await stage.write({ "dist/index.html": "first" })
    await stage.declares({})
    await stage.deployed()
    await isNow("without the key", 1, null)
    await stage.declares({ static: "dist" })
    await addCode("export const unsent = 1")
    await stage.deployed("--static")
    await isNow("--static", 1, "first")
    await stage.write({ "dist/index.html": "second" })
    await addCode("export const second = 2")
    await stage.deployed("--no-static")
    await isNow("--no-static", 2, "first")
    await addCode("export const third = 3")
    await stage.deployed()
    await isNow("deploy", 3, "second")
    await stage.write({ "dist/index.html": "third" })
    await addCode("export const fourth = 4")
    await stage.declares({ static: { dir: "dist", label: "-" } })
    const badLabel = await stage.deploy()
    refused("a label that is none", badLabel, ["label"])
    await isNow("with a label that is none", 4, "second")
    await stage.declares({ static: "dist" })
    // Code that no service takes: it fails where it is loaded, which the tool need not do.
    await addCode('throw new Error("not today")')
    refused("a deploy of rooms that do not load", await stage.deploy(), [])
    await isNow("with rooms that do not load", 4, "second")
  }
}

export const needsNoRoom: Probe = {
  title: "a project with the key static and no room file is deployed",
  timeoutMs,
  run: async (trial) => {
    const stage = await SiteStage.of(trial)
    await stage.write({ "dist/index.html": "alone" })
    await stage.declares({ static: "dist" })
    await stage.deployed()
    await stage.serves("deploy", { "index.html": "alone" })
    same("the version of the rooms", await versionOf(stage.project), null)
  }
}

export const neitherIsRefused: Probe = {
  title: "a deploy of a site that neither the flag nor the file names is refused, and names both",
  timeoutMs,
  run: async (trial) => {
    const stage = await SiteStage.of(trial, { rooms: true })
    await stage.write({ "dist/index.html": "nobody names it" })
    await stage.declares({})
    const ran = await stage.deploy("--static")
    refused("deploy --static", ran, ["--static"])
    const others = ran.stderr.replaceAll("--static", "")
    holds("it names the key", others.includes("static"), ran.stderr)
    same("the version of the rooms", await versionOf(stage.project), null)
    await stage.deployed()
    same("the version after a deploy of the rooms", await versionOf(stage.project), 1)
    same("the site", await stage.url(), null)
  }
}

export const badKeyIsRefused: Probe = {
  title: "deploy --static refuses a bad static by name",
  timeoutMs,
  run: async (trial) => {
    const stage = await SiteStage.of(trial)
    await stage.write({ "dist/index.html": "page" })
    const row = rowOf("file", "file.validate.static-type")
    const first = trial.seed % row.bad.length
    const some = [...row.bad, ...row.bad].slice(first, first + 4)
    const bad = trial.modelRuns === null ? some : row.bad
    await fileChecks(
      { ...row, bad, good: [] },
      {
        rest: { project: stage.project.id },
        run: async (_, file) => {
          await stage.write({ "service.json": JSON.stringify(file) })
          return await stage.deploy("--static")
        }
      }
    )
    same("the site", await stage.url(), null)
    for (const key of row.good) {
      await stage.declares({ static: withOwnLabel(key) })
      await stage.deployed("--static")
      await stage.serves(JSON.stringify(key), { "index.html": "page" })
    }
  }
}

/** The row's label may be another project's. */
const withOwnLabel = <A>(key: A) => {
  const { dir, label } = Object(key)
  return label === undefined ? key : { dir: String(dir), label: uniqueLabel() }
}

export const syncsSettings: Probe = {
  title: "a deploy of the site sets what the file declares, and nothing else",
  needs: ["staticSites"],
  timeoutMs,
  run: async (trial) => {
    const stage = await SiteStage.of(trial)
    const name = uniqueName()
    const settings = {
      queues: { duel: { size: 2 } },
      boards: { main: { direction: "higher" } },
      origins: ["*"],
      audienceRole: "viewer",
      preRelease: true
    }
    const stored = async () => {
      const record = await stage.record()
      return Object.fromEntries(Object.keys(settings).map((key) => [key, record[key]]))
    }
    await stage.write({ "dist/index.html": "page" })
    // It reads no client, and no schema.
    await stage.declares({ static: "dist", name, ...settings, client: 5 })
    await stage.deployed("--static")
    const after = await stored()
    trial.chosen("D-13", () => {
      same(
        "the keys of one value",
        { ...after, queues: null, boards: null },
        { ...settings, queues: null, boards: null }
      )
      same("the queues", Object.keys(Object(after["queues"])), ["duel"])
      same("the boards", Object.keys(Object(after["boards"])), ["main"])
    })
    same("the name", (await stage.record())["name"], name)
    await stage.declares({ static: "dist" })
    await stage.deployed("--static")
    same("after a deploy that declares none", await stored(), after)
    await stage.declares({ static: "dist", audienceRole: null, queues: {}, boards: {} })
    await stage.deployed("--static")
    const { audienceRole, queues, boards } = await stored()
    same(
      "after one that takes them away",
      { audienceRole, queues, boards },
      {
        audienceRole: null,
        queues: {},
        boards: {}
      }
    )
    const other = await trial.project()
    await stage.deployed("--static", "--project", other.id)
    const site = Object((await other.ask("")).json)["static"]
    holds("--project wins over the file", Object(site)["url"] !== undefined, site)
  }
}

export const createsProject: Probe = {
  title:
    "a deploy of the site without any id makes a project named like the folder, and keeps its id",
  needs: ["staticSites"],
  timeoutMs,
  run: async (trial) => {
    const name = uniqueName()
    const above = await trial.cli.folder({
      [`${name}/dist/index.html`]: "page",
      [`${name}/service.json`]: JSON.stringify({ static: "dist" })
    })
    const folder = join(above, name)
    const first = await trial.cli.runLoggedIn(["deploy", "--static"], { folder })
    done("the first deploy", first)
    const { project, ...others } = await fileOf(folder)
    same("the other keys of the file", others, { static: "dist" })
    same("the projects of the folder's name", await idsNamed(trial, name), [project])
    done("the second deploy", await trial.cli.runLoggedIn(["deploy", "--static"], { folder }))
    same("the projects after the second", await idsNamed(trial, name), [project])
  }
}

export const badProjectIsNone: Probe = {
  title:
    "deploy --static takes a bad project as none: it makes one, and writes its id in its place",
  needs: ["staticSites"],
  timeoutMs,
  run: async (trial) => {
    const { bad } = rowOf("file", "file.validate.project-type.absent")
    const all = [...bad, ...bad]
    const first = trial.seed % bad.length
    for (const project of trial.modelRuns === null ? all.slice(first, first + 2) : bad) {
      const name = uniqueName()
      const folder = await trial.cli.folder({
        "dist/index.html": "page",
        "service.json": JSON.stringify({ project, name, static: "dist" })
      })
      const what = `deploy --static with the project ${JSON.stringify(project)}`
      done(what, await trial.cli.runLoggedIn(["deploy", "--static"], { folder }))
      const { project: id, ...others } = await fileOf(folder)
      same(`${what}: the other keys`, others, { name, static: "dist" })
      same(`${what}: the project`, await idsNamed(trial, name), [id])
    }
  }
}

const game = "https://game.example"

export const addsItsOrigin: Probe = {
  title:
    "a deploy of the site adds its origin, and the next one of rooms takes it away unless it is listed",
  timeoutMs,
  run: async (trial) => {
    const stage = await SiteStage.of(trial, { rooms: true })
    const origins = async () => (await stage.record())["origins"]
    const isNow = async (what: string, list: ReadonlyArray<string>): Promise<void> => {
      const stored = await origins()
      const sorted = Array.isArray(stored) ? stored.toSorted() : stored
      trial.chosen("D-13", () => same(what, sorted, list.toSorted()))
    }
    await stage.write({ "dist/index.html": "page" })
    await stage.declares({ origins: [game], static: "dist" })
    await stage.deployed("--no-static")
    await isNow("after the rooms", [game])
    await stage.declares({ static: "dist" })
    await stage.deployed("--static")
    const site = (await stage.url())?.origin ?? ""
    await isNow("after the site", [game, site])
    await stage.declares({ origins: [game], static: "dist" })
    await stage.deployed("--no-static")
    await isNow("after rooms whose file does not list it", [game])
    await stage.declares({ origins: [game, site], static: "dist" })
    await stage.deployed("--no-static")
    await isNow("after rooms whose file lists it", [game, site])
  }
}

export const devServes: Probe = {
  title:
    "dev serves the folder on a port of its own when it holds an index.html, and not with --no-serve",
  timeoutMs,
  run: async (trial) => {
    const stage = await SiteStage.of(trial, { rooms: true })
    const text = `the page of ${stage.project.id}`
    await stage.declares({ static: "dist" })
    await stage.write({ "dist/index.html": `<p>${text}</p>`, "dist/a.txt": text })
    const pageAmong = async (said: string): Promise<string | null> => {
      for (const [address] of said.matchAll(/https?:\/\/[\w.[\]:-]+/g)) {
        const page = await sitePage(address, trial.signal).catch(() => null)
        if (page?.status === 200 && page.text.includes(text)) return address
      }
      return null
    }
    const dev = (args: ReadonlyArray<string>, until: (said: () => string) => Promise<unknown>) =>
      trial.cli.runLoggedIn(["dev", ...args], { folder: stage.folder, forMs: 90_000, until })
    await dev([], (said) =>
      trial.until(
        "dev says where the page is",
        async () => {
          const page = await pageAmong(said())
          if (page === null) return null
          const file = await sitePage(new URL("/a.txt", page).href, trial.signal)
          same("a file of the folder", [file.status, file.text], [200, text])
          const own = new URL(trial.config.baseUrl).port
          holds("the port is its own", new URL(page).port !== own, page)
          return true
        },
        90_000
      )
    )
    const before = await versionOf(stage.project)
    await appendFile(await roomOf(stage.folder), "\nexport const more = 1\n")
    const isNewer = async () => ((await versionOf(stage.project)) === before ? null : true)
    await dev(["--no-serve"], async (said) => {
      await trial.until("dev --no-serve deploys", isNewer, 90_000)
      same("a page with --no-serve", await pageAmong(said()), null)
    })
  }
}
