import { execFile, spawn } from "node:child_process"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { makeHome, type RunningService, type ServiceHome } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { chromiumPath } from "./browser/Chromium.ts"
import { forgetPackages } from "./packages/testing/ForgetPackages.ts"
import { nodeFolder } from "./packages/testing/NodeFolder.ts"

const run = promisify(execFile)

/** npm and the first deploy have much to read. */
const longMs = 60_000

const executablePath = chromiumPath("The story")

interface Running {
  /** All that it has written. */
  readonly said: () => string
  /** Ends it as Ctrl-C does. */
  readonly stop: () => Promise<void>
}

let home: ServiceHome
let service: RunningService
let root = ""
let game = ""
let env: NodeJS.ProcessEnv = {}
let browser: Browser
const ends: Array<() => Promise<void>> = []

/** Starts a command of the game in a process group of its own, as a terminal does. */
const start = (command: string, ...args: ReadonlyArray<string>): Running => {
  const child = spawn(command, args, { cwd: game, env, detached: true })
  let text = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => (text += part))
  }
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()))
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, "SIGINT")
    }
    await ended
  }
  ends.push(stop)
  return { said: () => text, stop }
}

const sh = async (command: string): Promise<string> => {
  const { stdout } = await run("sh", ["-c", command], { cwd: game, env })
  return stdout
}

/** A player with a browser profile of its own. */
const player = async (url: string): Promise<Page> => {
  const context = await browser.newContext()
  ends.push(() => context.close())
  const page = await context.newPage()
  await page.goto(url)
  return page
}

/** Changes the room: it logs what is said, and tells it in capitals. @returns the code before */
const shoutingRoom = (): string => {
  const path = join(game, "room.ts")
  const code = readFileSync(path, "utf8")
  const shouting = code.replace(
    'room.broadcast("chat", { from: player.id, text })',
    "shout(room, player.id, text)"
  )
  expect(shouting).not.toBe(code)
  const shout = `
const shout = (room: ArenaRoom, from: number, text: string): void => {
  console.log("said", text)
  room.broadcast("chat", { from, text: text.toUpperCase() })
}
`
  // As many editors save: another file takes the place of the one before.
  writeFileSync(`${path}~`, shouting + shout)
  renameSync(`${path}~`, path)
  return code
}

const says = async (page: Page, words: string): Promise<void> => {
  await page.locator("#words").fill(words)
  await page.locator("#words").press("Enter")
}

/** The speaker says a word again and again, until the listener reads an answer of the code that is meant. */
const untilAnswered = async (
  [listener, speaker]: readonly [Page, Page],
  word: string,
  answer: RegExp
): Promise<void> => {
  await until(`the room answers ${answer}`, async () => {
    await says(speaker, word)
    return (await listener.locator("#lines li", { hasText: answer }).count()) > 0
  })
}

/** Two players see each other, and one reads what the other writes. */
const twoPlay = async (url: string): Promise<readonly [Page, Page]> => {
  const [first, second] = [await player(url), await player(url)]
  for (const page of [first, second]) {
    await until(
      "both are on the list",
      async () => (await page.locator("#scores li").count()) === 2
    )
  }
  await says(first, "hello there")
  await second.locator("#lines li", { hasText: "hello there" }).waitFor()
  return [first, second]
}

/**
 * A page of this address asks the service's API to read and to write, in the browser of somebody who is
 * logged in there. 403 is the answer to a session that comes from elsewhere; without one it is 401.
 */
const attempts = async (url: string): Promise<ReadonlyArray<number>> => {
  const origin = `http://localhost:${new URL(service.url).port}`
  const page = await player(`${origin}/login`)
  const loggedIn = async ([path, token]: readonly [string, string]): Promise<number> => {
    const headers = { "content-type": "application/json" }
    await fetch(path, { method: "POST", headers, body: JSON.stringify({ token }) })
    return (await fetch("/v1/me")).status
  }
  expect(await page.evaluate(loggedIn, ["/v1/login/session", service.token] as const)).toBe(200)
  await page.goto(url)
  const asks: ReadonlyArray<readonly [string, string]> = [
    ["GET", `${origin}/v1/me`],
    ["POST", `${origin}/v1/me/invitations`]
  ]
  const statuses: Array<number> = []
  for (const [method, path] of asks) {
    const answered = page.waitForResponse(path)
    const ask = ([asked, way]: readonly [string, string]): Promise<unknown> =>
      fetch(asked, { method: way, mode: "no-cors", credentials: "include" }).catch(() => null)
    await page.evaluate(ask, [path, method] as const)
    statuses.push((await answered).status())
  }
  await page.close()
  return statuses
}

describe.skipIf(executablePath === null)("from an empty folder with Node 20 to a live game", () => {
  beforeAll(async () => {
    // As a newcomer starts it: its own PostgreSQL, its own token, the games of the first page.
    home = await makeHome("embedded")
    service = await home.start()
    await forgetPackages(service.url)
    root = await mkdtemp(join(tmpdir(), "atrium-story-"))
    game = join(root, "empty")
    mkdirSync(game)
    const { HOME, PATH = "" } = process.env
    env = {
      HOME,
      PATH: `${await nodeFolder(20, root)}:${PATH}`,
      NO_COLOR: "1",
      npm_config_prefer_offline: "true",
      ATRIUM_URL: service.url,
      ATRIUM_TOKEN: service.token
    }
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox"]
    })
  })

  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
    await browser.close()
    expect(await service.stop()).toBe(0)
    await home.remove()
    await rm(root, { recursive: true, force: true })
  })

  it("[C-393] the first page leads to a game that two tabs play", async () => {
    const page = await player(service.url)
    await page.getByRole("link", { name: /Arena/ }).click()
    await page.waitForURL(/\/play\/arena/)
    const url = page.url()
    await page.close()
    await twoPlay(url)
  })

  it("[D-31] two who open tic-tac-toe meet at one table, and one of them is to move", async () => {
    const url = `${service.url}/play/tic-tac-toe`
    const players = [await player(url), await player(url)]
    await until("both sit at one table", () => {
      const [first, second] = players.map((page) => new URL(page.url()).hash)
      return first !== "" && first === second
    })
    const said = await Promise.all(
      players.map((page) => page.locator("#status", { hasText: "You" }).textContent())
    )
    expect(said.toSorted()).toEqual(["You are o. The other one thinks.", "Your turn: you are x."])
    for (const page of players) await page.close()
  })

  it("[cli.init] init writes a game whose next commands work, and its own tests pass", async () => {
    expect(await sh("node --version")).toMatch(/^v20\./)
    const cli = `${service.url}/cli.tgz`
    const told = await sh(`npx --yes ${cli} init maze --template arena --yes`)
    expect(told).toContain("cd maze && npm install")
    game = join(game, "maze")
    await sh("npm install --no-audit --no-fund")
    expect(await sh("npm test")).toMatch(/Tests\s+\d+ passed/)
    await sh("npm run check")
  })

  it("[C-362] [C-363] under dev two players play in Chromium, and stay in it when the room changes", async () => {
    const dev = start("npm", "run", "dev")
    const url = await until("the page", () => /^page +(\S+)/m.exec(dev.said())?.[1], longMs)
    const players = await twoPlay(url)
    // Another port of the same host: the browser sends the session along.
    expect(await attempts(url)).toEqual([401, 403])

    const code = shoutingRoom()
    await untilAnswered(players, "loud", /LOUD/)
    await until("the line of the log", () =>
      /arena {2}said loud \(room\.ts:\d+:\d+\)/.test(dev.said())
    )
    writeFileSync(join(game, "room.ts"), code)
    await untilAnswered(players, "calm", /calm/)
    for (const page of players) {
      // Nobody has left and come again.
      expect(await page.locator("#lines li", { hasText: "hello there" }).count()).toBe(1)
      await page.close()
    }
    await dev.stop()
  })

  it("[C-360] [C-363] deployed, the page plays from a site of its own, logs show the room's lines, and a rollback brings the old code", async () => {
    const deployed = await sh("npm run deploy")
    const site = /http:\/\/[\w-]+\.localhost:\d+/.exec(deployed)?.[0] ?? ""
    expect(site).toBe(`http://maze.localhost:${new URL(service.url).port}`)
    const players = await twoPlay(site)
    // Another site: the browser keeps the session back.
    expect(await attempts(site)).toEqual([401, 401])

    const code = shoutingRoom()
    const logs = start("npx", "atrium", "logs", "-f")
    await sh("npx atrium deploy --no-static")
    await untilAnswered(players, "loud", /LOUD/)
    await until("the line of the log", () => logs.said().includes("said loud"))
    await logs.stop()

    await sh("npx atrium rollback --yes")
    await untilAnswered(players, "calm", /calm/)
    const versions = JSON.parse(await sh("npx atrium deployments --json"))
    expect(versions[0]).toMatchObject({ version: 3, current: true, rollbackOf: 1 })
    writeFileSync(join(game, "room.ts"), code)
  })
})
