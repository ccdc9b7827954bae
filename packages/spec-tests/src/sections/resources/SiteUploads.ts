import { createHash, randomBytes } from "node:crypto"

import type { Probe } from "../../check/Check.ts"
import { same } from "../../check/Expect.ts"
import type { Project } from "../../trial/Project.ts"
import { sitePage } from "../../trial/SitePage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { uniqueLabel } from "./SiteStage.ts"

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The list of an upload. Source: C-355. */
const listOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([path, text]) => ({
    path,
    hash: hashOf(text),
    bytes: Buffer.byteLength(text)
  }))

/** The routes of an upload. Source: C-355. */
const uploading = (project: Project) => ({
  begin: (body: unknown) => project.ask("/site/uploads", { method: "POST", body }),
  put: (upload: string, text: string, hash = hashOf(text)) =>
    project.ask(`/site/uploads/${upload}/files/${hash}`, {
      method: "PUT",
      headers: { "content-type": "application/octet-stream" },
      body: Buffer.from(text)
    }),
  finish: (upload: string) =>
    project.ask(`/site/uploads/${upload}/finish`, { method: "POST", body: {} })
})

const uploadIn = (json: unknown): string => String(Object(json)["upload"])

/** The label is a DNS label that no visitor takes for another's. Source: C-356. */
export const labelsAreNames: Probe = {
  title: "a label is a DNS label that is not reserved and not another project's",
  run: async (trial) => {
    const project = await trial.project()
    const files = listOf({ "index.html": "page" })
    const asked = async (label: string) => (await uploading(project).begin({ label, files })).status
    const own = uniqueLabel()
    // Cyrillic letters look like Latin ones, and xn-- is how names in other scripts are written.
    const bad = [
      "",
      "-a",
      "a-",
      "A",
      "a.b",
      "a_b",
      "\u0430pp",
      "xn--80ak6aa92e",
      "ab--c",
      "www",
      "api"
    ]
    const long = "a".repeat(63 - own.length) + own
    const given = await asked(long)
    const refused = await Promise.all([...bad, `a${long}`].map(asked))
    const theirs = await uploading(await trial.project(1)).begin({ label: long, files })
    trial.chosen("C-356", () => {
      same("63 characters", given, 201)
      same(
        "labels that are none",
        refused,
        refused.map(() => 400)
      )
      same("the label of another project", theirs.status, 409)
    })
  }
}

const filesMax = 10_000

const manyFiles = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ path: `f${at}`, hash: hashOf("x"), bytes: 1 }))

/** Nothing but a whole upload is ever served. Source: C-357. */
export const switchesWhole: Probe = {
  title: "a site is switched when all its files are there, and what can be no site is refused",
  needs: ["staticSites"],
  timeoutMs: 60_000,
  run: async (trial) => {
    const project = await trial.project()
    const { begin, put, finish } = uploading(project)
    const texts = { "index.html": randomBytes(8).toString("hex"), "a.js": "second" }
    const upload = uploadIn((await begin({ label: uniqueLabel(), files: listOf(texts) })).json)
    const wrong = await put(upload, "x".repeat(16), hashOf(texts["index.html"]))
    await put(upload, texts["index.html"])
    const early = await finish(upload)
    const before = await pageOf(trial, project)
    await put(upload, texts["a.js"])
    const done = await finish(upload)
    const after = await pageOf(trial, project)
    const bad = [
      "../a",
      "/a",
      "a/../b",
      "a//b",
      ".env",
      "a/.ENV.local",
      ".git/config",
      "node_modules/a"
    ]
    const paths = await Promise.all(
      bad.map(async (path) => (await begin({ files: [{ ...listOf({ path })[0], path }] })).status)
    )
    const over = await begin({ files: manyFiles(filesMax + 1) })
    const most = await begin({ files: manyFiles(filesMax) })
    // A fifth upload that is open forgets the oldest.
    const open = []
    for (let count = 0; count < 5; count++)
      open.push(uploadIn((await begin({ files: listOf(texts) })).json))
    const forgotten = await finish(open[0] ?? "")
    const kept = await finish(open[1] ?? "")
    trial.chosen("C-357", () => {
      same("content of another hash", wrong.status, 400)
      same("the end of an upload that lacks a file", early.status, 409)
      same("the site until then", before, null)
      same("the end of the whole upload", done.status, 201)
      same("the site from then on", after, texts["index.html"])
      same(
        "paths that are none",
        paths,
        bad.map(() => 400)
      )
      same("10,001 files, and 10,000", [over.status, most.status], [400, 201])
      same(
        "the oldest of five uploads, and the next one",
        [forgotten.status, kept.status],
        [404, 201]
      )
    })
  }
}

/** The page of the project's site; `null` = it has none. */
const pageOf = async (trial: Trial, project: Project): Promise<string | null> => {
  const { static: site } = Object((await project.ask("")).json)
  const { url } = Object(site)
  return typeof url === "string" ? (await sitePage(url, trial.signal)).text : null
}
