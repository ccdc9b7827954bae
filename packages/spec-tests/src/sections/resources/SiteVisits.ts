import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import { sitePage } from "../../trial/SitePage.ts"
import { SiteStage } from "./SiteStage.ts"

const script = "let score = 1\n".repeat(200)
const hashed = "assets/app-B7x9kQ2z.js"
const site = {
  "dist/index.html": "0123456789",
  "dist/404.html": "nowhere",
  [`dist/${hashed}`]: script,
  "dist/Build/game.wasm.br": "packed by a build",
  "dist/save.tar.gz": "a download"
}

/** What browsers and caches make of a site. Source: C-359, C-377. */
export const isReadByBrowsers: Probe = {
  title:
    "a file has a tag, parts and a lasting name, a packed one its coding, and a missing one the page 404.html",
  needs: ["staticSites"],
  timeoutMs: 120_000,
  run: async (trial) => {
    const stage = await SiteStage.of(trial)
    await stage.write(site)
    await stage.declares({ static: "dist" })
    await stage.deployed("--static")
    const base = (await stage.url())?.href ?? ""
    const at = (path: string, headers: Readonly<Record<string, string>> = {}) =>
      sitePage(new URL(path, base).href, trial.signal, headers)
    const index = await at("/")
    const tag = String(index.headers["etag"])
    const known = await at("/", { "if-none-match": tag })
    const other = await at("/", { "if-none-match": '"another"' })
    const part = await at("/", { range: "bytes=2-4" })
    const rest = await at("/", { range: "bytes=-3" })
    const past = await at("/", { range: "bytes=10-" })
    const lasting = await at(`/${hashed}`)
    const smaller = await at(`/${hashed}`, { "accept-encoding": "gzip" })
    const packed = await at("/Build/game.wasm.br")
    const download = await at("/save.tar.gz")
    const missing = await at("/assets/gone.js")
    trial.chosen("C-359", () => {
      same("a page that is known", [known.status, known.text], [304, ""])
      same("a page that is not", [other.status, other.text], [200, "0123456789"])
      same("the bytes 2 to 4", [part.status, part.text], [206, "234"])
      same("which part they are", part.headers["content-range"], "bytes 2-4/10")
      same("the last three bytes", [rest.status, rest.text], [206, "789"])
      same("bytes past the end", past.status, 416)
      const caching = String(lasting.headers["cache-control"])
      holds("a name with a hash lasts", /\bimmutable\b/.test(caching), caching)
      const pageCaching = String(index.headers["cache-control"])
      holds("a page does not", !/\bimmutable\b/.test(pageCaching), pageCaching)
      same("the coding that was asked for", smaller.headers["content-encoding"], "gzip")
      same("a missing file", [missing.status, missing.text], [404, "nowhere"])
      same(
        "a script's type",
        String(lasting.headers["content-type"]).split(";")[0],
        "text/javascript"
      )
    })
    trial.chosen("C-377", () => {
      const { "content-encoding": coding, "content-type": type } = packed.headers
      same(
        "a packed file",
        [packed.text, coding, type],
        ["packed by a build", "br", "application/wasm"]
      )
      same("the coding of a download", download.headers["content-encoding"], undefined)
    })
  }
}
