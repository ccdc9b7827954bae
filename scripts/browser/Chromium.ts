import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"

import { build } from "esbuild"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** A Chromium of this machine; `null` = it has none, and `what` is skipped with a notice. */
export const chromiumPath = (what: string): string | null => {
  const places = (process.env["PATH"] ?? "").split(":")
  const found = names.flatMap((name) => places.map((place) => join(place, name))).find(existsSync)
  if (found === undefined) {
    console.warn(`${what} is skipped: none of ${names.join(", ")} is in PATH.`)
  }
  return found ?? null
}

/** A page of one script, on an address of this machine. */
export interface ServedPage {
  readonly url: string
  readonly end: () => Promise<void>
}

const emptyPage = '<body><script type="module" src="client.js"></script></body>'

/** Bundles a script as for production, and serves a page with it. @param html where it is `client.js` */
export const servePage = async (entry: string, html = emptyPage): Promise<ServedPage> => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false
  })
  const script = outputFiles[0]?.text ?? ""
  const server = createServer(({ url }, response) => {
    const isScript = url === "/client.js"
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html")
    response.end(isScript ? script : html)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const at = server.address()
  const port = typeof at === "object" ? at?.port : 0
  return {
    url: `http://127.0.0.1:${port}/`,
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
      })
  }
}
