import { execFile } from "node:child_process"
import { readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

import { afterEach, beforeEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { boardSchema, tinyRoom } from "../testing/GameFolder.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, type RunningCommand, runCommand, startCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"

const service = serviceOfEachTest()
const game = gameOfEachTest({ "room.ts": tinyRoom() })
let running: RunningCommand | null = null

beforeEach(async () => {
  running = null
})
afterEach(async () => {
  running?.process.kill("SIGKILL")
  await running?.ended
})

const place = () => ({
  cwd: game.path,
  env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
})
const start = (...argv: ReadonlyArray<string>): RunningCommand => {
  running = startCommand(["dev", ...argv], place())
  return running
}
const shows = (read: () => string, text: string | RegExp): Promise<void> =>
  expect.poll(read).toMatch(text)
const uploads = (): ReadonlyArray<string> =>
  service.requests.filter(({ path }) => path.endsWith("/deployments")).map(({ path }) => path)
// Asked so because a failure would otherwise show the whole bundle.
const lastBundleHas = (text: string): boolean | undefined =>
  service.requests.findLast(({ path }) => path.endsWith("/deployments"))?.body.includes(text)
const marked = (text: string): string => `${tinyRoom()}export const mark = "${text}"`
const deployed = (count: number): Promise<void> => expect.poll(() => uploads().length).toBe(count)

const childrenOf = async (pid: number | undefined): Promise<ReadonlyArray<number>> => {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="])
  const rows = stdout.split("\n").map((row) => row.trim().split(/\s+/).map(Number))
  return rows.flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []))
}
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("atrium dev", () => {
  it("[C-334] shows what the rooms log from then on under its version lines, made harmless", async () => {
    const at = "2026-11-23T05:00:00.123Z"
    const line = { at, roomId: "arena-2", level: "error", line: "\u001b[2Jfault\nat room.ts:7:19" }
    service.answer = ({ path }) =>
      path.includes("/logs/tail")
        ? {
            status: 200,
            headers: { "content-type": "text/event-stream" },
            body: `id: 7\nevent: line\ndata: ${JSON.stringify(line)}\n\n`
          }
        : null
    // The command reads the machine's clock: the span begins between here and its request.
    const before = Date.now()
    const { out } = start()
    await shows(out, "\n  error arena-2  \ufffd[2Jfault\n    at room.ts:7:19\n")
    expect(out().indexOf("version 1 of dev")).toBeLessThan(out().indexOf("arena-2"))
    const asked = service.requests.find(({ path }) => path.includes("/logs/tail"))
    const { pathname, searchParams } = new URL(asked?.path ?? "", "http://localhost")
    expect(pathname).toBe("/v1/projects/dev/logs/tail")
    expect(Date.parse(searchParams.get("since") ?? "")).toBeGreaterThanOrEqual(before)
  })

  it("[file.project.dev-default] deploys to `dev`, says where to join, and again on a change", async () => {
    const { process: child, out, err, ended } = start()
    await shows(out, /watching/)
    expect(uploads()).toEqual(["/v1/projects/dev/deployments"])
    expect(out()).toBe(
      [
        "version 1 of dev: tiny (standard, up to 8 clients)",
        `  join     new Client("${service.url}")`,
        `  or       ${service.url.replace("http", "ws")}/v1/rooms/dev/{room}`,
        `  try it   ${service.url}/console/p/dev/playground`,
        `watching ${game.path}; Ctrl-C ends`,
        ""
      ].join("\n")
    )
    await game.write({ "room.ts": `import { six } from "./lib/six"\n${tinyRoom()}export { six }` })
    await shows(err, /E_BUNDLE_INVALID: room\.ts:1:21 Could not resolve/)
    await game.write({ "lib/six.ts": "export const six = 6" })
    await shows(out, /\nversion 2 of dev: tiny \(standard, up to 8 clients\)\n$/)
    await game.write({ "lib/six.ts": "export const six = 7" })
    await shows(out, /\nversion 3 of dev/)
    expect(lastBundleHas("six = 7")).toBe(true)
    const helpers = await childrenOf(child.pid)
    expect(helpers.length).toBeGreaterThan(0)
    child.kill("SIGTERM")
    expect(await ended).toMatchObject({ code: 0 })
    await expect.poll(() => helpers.filter(isAlive)).toEqual([])
  })

  it("[C-227] holds the project, is refused beside another folder, and gives it up at the end", async () => {
    const leases = () =>
      service.requests
        .filter(({ path }) => path.endsWith("/dev-lease"))
        .map(({ body }) => JSON.parse(body))
    const held = "atrium dev of another folder has the project: /games/chess"
    service.answer = ({ path }) =>
      path.endsWith("/dev-lease") ? refusal(409, "E_DEV_HELD", held) : null
    const refused = await start().ended
    expect(refused.code).toBe(1)
    expect(refused.err).toBe(
      `E_DEV_HELD: ${held}\n--take-over ends that one and replaces its rooms by yours\n`
    )
    expect(uploads()).toEqual([])
    service.answer = () => null
    const { process: child, out, ended } = start("--take-over")
    await shows(out, /watching/)
    const { holder } = leases()[1]
    expect(leases()[1]).toEqual({ holder, folder: game.path, takeOver: true })
    await expect.poll(() => leases().length).toBe(3)
    expect(leases()[2]).toEqual({ holder, folder: game.path })
    child.kill("SIGTERM")
    expect(await ended).toMatchObject({ code: 0 })
    expect(leases().at(-1)).toEqual({ holder, folder: null })
  })

  it("[C-227] ends when another folder takes the project over", async () => {
    const { out, ended } = start()
    await shows(out, /watching/)
    service.answer = ({ path }) =>
      path.endsWith("/dev-lease") ? refusal(409, "E_DEV_HELD", "held by /games/chess") : null
    const { code, err } = await ended
    expect(code).toBe(1)
    expect(err).toMatch(/^E_DEV_HELD: held by \/games\/chess/)
  })

  it("[D-41] a folder with a schema and no room code is deployed, and again on a change", async () => {
    await rm(join(game.path, "room.ts"))
    await game.write({ "schema.ts": boardSchema() })
    const { out } = start()
    await shows(out, /watching/)
    expect(lastBundleHas('"schema.ts#"')).toBe(true)
    await game.write({ "schema.ts": `${boardSchema()}export const more = 7` })
    await shows(out, /\nversion 2 of dev/)
    expect(lastBundleHas("more = 7")).toBe(true)
  })

  it("[D-41] goes on after an error, a refusal, and a service that was away", async () => {
    const { process: child, out, err, ended } = start()
    await shows(out, /watching/)
    await game.write({ "room.ts": "const x =" })
    await shows(err, /^E_BUNDLE_INVALID: room\.ts:1:10 /)
    await game.write({ "room.ts": tinyRoom() })
    await shows(out, /\nversion 1 of dev, as before\n$/)
    service.answer = () => refusal(409, "E_SCHEMA_BREAKING", "tiny: score.red is gone")
    await game.write({ "room.ts": marked("2") })
    await shows(err, /\nE_SCHEMA_BREAKING: tiny: score.red is gone\n$/)
    service.answer = () => null
    await game.write({ "service.json": '{"project":""}' })
    await shows(err, /\nservice\.json: project: must be a non-empty string\n$/)
    await rm(join(game.path, "service.json"))
    await shows(out, /\nversion 2 of dev: tiny [^\n]*\n$/)
    await service.close()
    await game.write({ "room.ts": marked("3") })
    await shows(err, /\nnothing answers at [^\n]*\n$/)
    child.kill("SIGINT")
    expect(await ended).toMatchObject({ code: 0 })
  })

  it("[D-41] deploys nothing when no code has changed, and deploys after an editor's swap of files", async () => {
    // Every bundling warns, so that it is seen when nothing is deployed.
    const odd = "export const odd = (x: number) => x === NaN\n"
    await game.write({ "room.ts": tinyRoom() + odd })
    const { out, err } = start()
    await shows(out, /watching/)
    await game.write({ "README.md": "Tiny" })
    await shows(err, /^(warning: [^]*){2}$/)
    await game.write({ "room.ts.new": marked("swapped") })
    await rename(join(game.path, "room.ts.new"), join(game.path, "room.ts"))
    await deployed(2)
    expect(lastBundleHas("swapped")).toBe(true)
  })

  it("[D-41] a burst of changes during an upload ends with the last one deployed", async () => {
    const { out } = start()
    await shows(out, /watching/)
    let free = (): void => {}
    const held = new Promise<null>((resolve) => (free = () => resolve(null)))
    service.answer = () => held
    await game.write({ "room.ts": marked("first") })
    await deployed(2)
    for (const text of ["second", "third", "last"]) {
      await game.write({ "room.ts": marked(text) })
    }
    free()
    await deployed(3)
    expect(lastBundleHas('"last"')).toBe(true)
  })

  it("[file.resolve.dev] the file names the project, now or later; nothing is written", async () => {
    await game.write({ "service.json": `{"project":"${id}"}` })
    const { out } = start()
    await shows(out, new RegExp(`new Client\\("${service.url}", { project: "${id}" }\\)\n`))
    await game.write({ "service.json": '{"project":"p_later"}' })
    await shows(out, /\nversion 2 of p_later: .*\n {2}join /)
    expect(uploads()).toEqual([
      `/v1/projects/${id}/deployments`,
      "/v1/projects/p_later/deployments"
    ])
    expect(await readFile(join(game.path, "service.json"), "utf8")).toBe('{"project":"p_later"}')
  })

  it("[D-41] several folders make one deployment, each of them watched", async () => {
    const small = tinyRoom().replace('"tiny"', '"small"')
    await game.write({ "a/room.ts": tinyRoom(), "b/src/room.ts": small })
    const { out } = start("a", "b")
    await shows(out, /watching .*\/a, .*\/b;/)
    expect(lastBundleHas('"b/src/room.ts#"')).toBe(true)
    await game.write({ "b/src/room.ts": `${small}export const mark = "changed"` })
    await deployed(2)
    expect(lastBundleHas("changed")).toBe(true)
  })
})

describe("atrium dev, refused at once", () => {
  it("[D-41] an address where nothing answers", async () => {
    const { url } = service
    await service.close()
    expect(await runCommand(["dev"], place())).toEqual({
      code: 1,
      out: "",
      err: `nothing answers at ${url}; start it with \`npm start\``
    })
  })

  it("[D-41] a token or a project that no edit can mend", async () => {
    service.answer = ({ path }) =>
      path === "/health" ? null : refusal(401, "E_UNAUTHENTICATED", "not valid")
    expect(await runCommand(["dev"], place())).toMatchObject({ code: 1 })
    service.answer = ({ path }) =>
      path === "/health" ? null : refusal(404, "E_NOT_FOUND", "not found")
    expect(await runCommand(["dev"], place())).toMatchObject({
      code: 1,
      err: "E_NOT_FOUND: not found\nyour account has no project dev, which is from the default of `atrium dev`"
    })
  })
})
