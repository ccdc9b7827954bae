// Builds the page of this folder, index.html and client.ts, into dist/:
//
//   node build.mjs [--url <service>]                        once
//   node build.mjs [--url <service>] -- <command> <args>    again on every change, as long as the command runs
//
// The page gets the project of service.json, and the service that `atrium` would talk to.
import { spawn } from "node:child_process"
import { readFile, rm } from "node:fs/promises"
import { parseArgs } from "node:util"

import { context } from "esbuild"

const { values, positionals } = parseArgs({
  options: { url: { type: "string" } },
  allowPositionals: true
})
const [command, ...args] = positionals
const { SERVICE_CONTROL_URL, ATRIUM_URL } = process.env
const service = values.url || SERVICE_CONTROL_URL || ATRIUM_URL || "http://127.0.0.1:8787"

const file = JSON.parse(await readFile("service.json", "utf8").catch(() => "{}"))
const settings = { service, project: file.project ?? "dev" }

/** Writes the settings into the `<meta>` elements of the page, where client.ts reads them. */
const withSettings = (html) =>
  html.replace(
    /(<meta name="atrium-(service|project)" content=")[^"]*/g,
    (_, start, name) => start + encodeURI(settings[name])
  )

await rm("dist", { recursive: true, force: true })
const page = await context({
  entryPoints: ["client.ts", "index.html"],
  outdir: "dist",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: command === undefined,
  sourcemap: command !== undefined,
  logLevel: "warning",
  plugins: [
    {
      name: "page-settings",
      setup: ({ onLoad }) => {
        onLoad({ filter: /\.html$/ }, async ({ path }) => ({
          contents: withSettings(await readFile(path, "utf8")),
          loader: "copy"
        }))
      }
    }
  ]
})

if (command === undefined) {
  const { errors } = await page.rebuild().catch((failure) => failure)
  process.exitCode = errors.length === 0 ? 0 : 1
  await page.dispose()
} else {
  await page.watch()
  // `atrium dev` serves the folder that service.json names as the site.
  if (file.static === undefined) {
    const { port } = await page.serve({ servedir: "dist", host: "127.0.0.1" })
    process.stdout.write(`page http://127.0.0.1:${port}\n`)
  }
  const running = spawn(command, args, { stdio: "inherit", shell: process.platform === "win32" })
  // Ctrl-C reaches the command as well; its end is the end of this.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => running.kill(signal))
  running.on("error", (error) => {
    process.stderr.write(`${command}: ${error.message}\n`)
    process.exit(1)
  })
  running.on("exit", (code) => process.exit(code ?? 1))
}
