import { rm } from "node:fs/promises"
import { join } from "node:path"

import { afterEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { tinyRoom } from "../testing/GameFolder.ts"
import { loginToken, type RunningCommand, startCommand } from "../testing/RunCommand.ts"

const service = serviceOfEachTest()
const game = gameOfEachTest()
let running: RunningCommand | null = null

afterEach(async () => {
  running?.process.kill("SIGKILL")
  await running?.ended
})

const start = (...argv: ReadonlyArray<string>): RunningCommand => {
  running = startCommand(["dev", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
  return running
}
const shows = (read: () => string | Promise<string>, text: string | RegExp): Promise<void> =>
  expect.poll(read).toMatch(text)

const line = /\npage {5}http:\/\/localhost:(\d+) \(dist, loads anew on a change\)\n/
/** The address of the page, once it is served. Node does not know that localhost is this machine. */
const pageOf = async ({ out }: RunningCommand): Promise<string> => {
  await shows(() => `\n${out()}`, line)
  return `http://127.0.0.1:${line.exec(`\n${out()}`)?.[1]}`
}
const textAt = (url: string) => async (): Promise<string> => (await fetch(url)).text()
const versionAt = async (url: string): Promise<string | undefined> =>
  /reload\.js\?v=([^"]+)/.exec(await textAt(url)())?.[1]

describe("atrium dev with a page", () => {
  it("[file.static.dev-serves] [C-361] serves the folder beside the rooms, bundles the client, and loads pages anew", async () => {
    await game.write({
      "room.ts": tinyRoom(),
      "service.json": '{"static":"dist","client":"web/main.ts"}',
      "dist/index.html": '<script type="module" src="main.js"></script>',
      "dist/main.js": "built()",
      "web/main.ts": 'import { x } from "../x.ts"; show(x)',
      "x.ts": "export const x = 'first'"
    })
    const { err } = start()
    if (running === null) throw new Error("it does not run")
    const url = await pageOf(running)
    expect(running.out()).toMatch(/^version 1 of dev[^]*^page /m)
    expect(await textAt(`${url}/main.js`)()).toContain('"first"')
    const before = await versionAt(url)
    await game.write({ "x.ts": "export const x = 'second'" })
    await shows(textAt(`${url}/main.js`), '"second"')
    await expect.poll(() => versionAt(url)).not.toBe(before)
    const changed = await versionAt(url)
    await game.write({ "README.md": "no part of the page", "x.ts": "export const x: string =" })
    await shows(err, /client: x\.ts:1:25 Unexpected end of file/)
    expect(await textAt(`${url}/main.js`)()).toContain('"second"')
    expect(await versionAt(url)).toBe(changed)
    await game.write({ "dist/index.html": "<p>another</p>" })
    await shows(textAt(url), "another")
    await expect.poll(() => versionAt(url)).not.toBe(changed)
  })

  it("[file.static.dev-serves] [file.static.without-room-valid] waits for an index.html, and needs no room", async () => {
    await game.write({ "service.json": '{"static":{"dir":"dist"}}' })
    const { err, out } = start()
    await shows(err, "dist: holds no index.html yet; the page is served as soon as it does\n")
    expect(out()).not.toContain("page ")
    await game.write({ "dist/index.html": "built now" })
    if (running === null) throw new Error("it does not run")
    const url = await pageOf(running)
    expect(await textAt(url)()).toContain("built now")
    expect(service.requests.map(({ path }) => path)).toEqual(["/health"])
    // A build that begins with an empty folder ends with another page.
    await rm(join(game.path, "dist"), { recursive: true })
    await game.write({ "dist/index.html": "built again", "room.ts": tinyRoom() })
    await shows(textAt(url), "built again")
    await shows(out, /\nversion 1 of dev/)
  })

  it("[file.static.dev-no-serve] serves no page with --no-serve, nor with a key that is none, which it names", async () => {
    await game.write({
      "room.ts": tinyRoom(),
      "service.json": '{"static":"dist"}',
      "dist/index.html": ""
    })
    const quiet = start("--no-serve")
    await shows(quiet.out, /watching/)
    expect(quiet.out()).not.toContain("page ")
    quiet.process.kill("SIGTERM")
    expect(await quiet.ended).toMatchObject({ code: 0, err: "" })
    await game.write({ "service.json": '{"static":5}' })
    const bad = start()
    await shows(bad.err, /^service\.json: static: must be .*; the page is not served\n/)
    await shows(bad.out, /watching/)
    expect(bad.out()).not.toContain("page ")
  })
})
