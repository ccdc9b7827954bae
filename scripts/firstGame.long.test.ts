import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { loginSteps } from "@atrium/api/testing/LoginSteps"
import { makeHome, type RunningService, type ServiceHome } from "@atrium/api/testing/RunningService"
import { askHost } from "@atrium/api/testing/SiteSteps"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, test } from "vitest"

import { forgetPackages } from "./packages/testing/ForgetPackages.ts"

const page = readFileSync(join(import.meta.dirname, "../docs/guide/first-game.md"), "utf8")

/** What a reader does: commands, and files that are written, in the order of the page. */
const steps = [...page.matchAll(/^```(sh|ts)\n([^]*?)^```/gm)].flatMap(([, language, text = ""]) =>
  language === "sh"
    ? text
        .trim()
        .split("\n")
        .map((command) => ({ command, path: "", text: "" }))
    : [{ command: "", path: /^\/\/ (\S+)\n/.exec(text)?.[1] ?? "", text }]
)

// As a newcomer starts it, with the project `dev`.
let place: ServiceHome
let service: RunningService
const longMs = 60_000
const usual = "http://127.0.0.1:8787"
const home = mkdtempSync(join(tmpdir(), "atrium-first-game-"))
let folder = home
const stops: Array<() => Promise<unknown>> = []

beforeAll(async () => {
  place = await makeHome("embedded")
  service = await place.start()
  await forgetPackages(service.url)
})

afterAll(async () => {
  for (const stop of stops) await stop()
  await service.stop()
  await place.remove()
  rmSync(home, { recursive: true, force: true })
})

/** A command as the reader types it; the service is elsewhere, and the login is kept elsewhere. */
const start = (command: string) => {
  const child = spawn("sh", ["-c", command.replaceAll(usual, service.url)], {
    cwd: folder,
    // A group of its own, which ends whole, as with Ctrl-C.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      HOME: process.env["HOME"],
      PATH: process.env["PATH"],
      npm_config_prefer_offline: "true",
      // Where the command line keeps its login.
      XDG_CONFIG_HOME: home,
      ATRIUM_URL: service.url
    }
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const stop = async (): Promise<unknown> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT")
    return ended
  }
  return { output: () => output, ended, stop }
}

/** The reader opens the address that is shown, and allows the code. */
const login = async (command: string): Promise<void> => {
  const { output, ended } = start(command)
  const code = await until("a code", () => /^code +(\S+)$/m.exec(output())?.[1], longMs)
  expect((await loginSteps(service).decide(code, true)).status).toBe(200)
  expect([await ended, output()]).toEqual([0, expect.stringContaining("logged in at")])
}

let devSaid = (): string => ""

/** It goes on until the reader stops it. */
const dev = async (command: string): Promise<void> => {
  const { output, stop } = start(command)
  stops.push(stop)
  devSaid = output
  const shown = await until("the page", () => /^page +(\S+)/m.exec(output())?.[1], longMs)
  expect(output()).toContain("version 1 of dev")
  const html = await (await fetch(shown)).text()
  expect(html).toContain('<meta name="atrium-project" content="dev"')
}

const run = async (command: string): Promise<void> => {
  const entered = /^cd (\S+)$/.exec(command)?.[1]
  if (entered !== undefined) {
    folder = join(folder, entered)
    return
  }
  if (command === "npx atrium login") return login(command)
  if (command === "npm run dev") return dev(command)
  const { output, ended } = start(command)
  expect([await ended, output()], command).toEqual([0, expect.anything()])
}

test("[C-394] a reader of docs/guide/first-game.md has a game at the end", async () => {
  expect(steps.length).toBeGreaterThan(12)
  for (const { command, path, text } of steps) {
    if (command === "") writeFileSync(join(folder, path), text)
    else await run(command)
    if (path === "room.ts") {
      await until(
        "the rooms follow",
        () => /version \d+ of dev/.test(devSaid().split(/^page/m)[1] ?? ""),
        longMs
      )
    }
  }
  const { project } = JSON.parse(readFileSync(join(folder, "service.json"), "utf8"))
  expect(project).toMatch(/^p_[0-9a-f]{16}$/)
  const site = await askHost(service.url, { host: "my-game.localhost:8787", path: "/" })
  expect(site.status).toBe(200)
  expect(String(site.body)).toContain(`<meta name="atrium-project" content="${project}"`)
})
