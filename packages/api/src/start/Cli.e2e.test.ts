import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Client, JoinError } from "@atrium/sdk/client"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"

import { programOf } from "../testing/BuiltPrograms.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { call, until } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

// The command as a process, against the service: what its own tests say of the routes is true here.
// A process takes a second to start, and a device asks every five.
vi.setConfig({ testTimeout: 120_000 })

const service = serviceUnderTest()
const command = programOf("cli")
let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "atrium-cli-"))
  await writeFile(join(folder, "service.json"), JSON.stringify({ project: service.project }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts `atrium`, logged in by the file in the folder alone, unless variables say more. */
const start = (argv: ReadonlyArray<string>, more: object = {}) => {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [command, ...argv], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, XDG_CONFIG_HOME: folder, ATRIUM_URL: service.url, ...more },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let out = ""
  let err = ""
  child.stdout.setEncoding("latin1").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => resolve({ code, out, err }))
  })
  return { ended, err: () => err }
}
const atrium = (argv: ReadonlyArray<string>, more?: object): Promise<Ended> =>
  start(argv, more).ended
const done = async (argv: ReadonlyArray<string>, more?: object): Promise<string> => {
  const { code, out, err } = await atrium(argv, more)
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" })
  return out
}

const player = async (token?: string): Promise<Client> => {
  const identity = await call(service.url, "/v1/identity", { body: { project: service.project } })
  return new Client(service.url, {
    project: service.project,
    token: token ?? String(identity.body["token"])
  })
}
/** What somebody new sees; `null` while the server is away. */
const counterOf = async (roomId: string): Promise<number | null> => {
  const client = await player()
  const room = await client.joinOrCreate(probe, { roomId }).catch((error: unknown) => {
    if (error instanceof JoinError && error.code === "E_TENANT_WAKING") return null
    throw error
  })
  await room?.leave()
  return room?.state.counter.value ?? null
}
const decide = async (userCode: string, allow: boolean): Promise<void> => {
  const body = { userCode, allow }
  const answer = await call(service.url, "/v1/login/approve", { token: service.token, body })
  expect(answer.status).toBe(200)
}
interface Home {
  readonly XDG_CONFIG_HOME: string
}
/** Starts a login, and answers as the person in the browser. */
const logIn = async (allow: boolean, home: Home): Promise<Ended> => {
  const running = start(["login"], home)
  await until("the code is shown", async () => /^waiting/m.test(running.err()))
  const shown = /^code {2}(\S+)$/m.exec(running.err())?.[1] ?? ""
  expect(running.err()).toContain(`open  ${service.url}/login?code=${shown}\n`)
  await decide(shown, allow)
  return running.ended
}

// A device asks every five seconds: both wait at the same time.
describe.concurrent("a login", () => {
  const homeOf = (name: string) => ({ XDG_CONFIG_HOME: join(folder, name) })

  it("[D-23] [D-50] by the device flow, until its logout", async () => {
    const home = homeOf("allowed")
    expect(await atrium(["whoami"], home)).toMatchObject({ code: 2, out: "" })
    const { code, out, err } = await logIn(true, home)
    expect({ code, out }).toEqual({ code: 0, out: "" })
    expect(err).toMatch(/\nlogged in at http:\/\/127\.0\.0\.1:\d+ as .*; kept in /)
    const file = join(home.XDG_CONFIG_HOME, "atrium/credentials.json")
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const kept: { logins: Record<string, { token: string }> } = JSON.parse(
      await readFile(file, "utf8")
    )
    const token = kept.logins[service.url]?.token ?? ""
    expect(err).not.toContain(token)
    expect(service.output()).not.toContain(token)
    const account = await call(service.url, "/v1/me", { token: service.token })
    expect(JSON.parse(await done(["whoami", "--json"], home))).toEqual({
      ...account.body,
      service: service.url
    })
    expect(await done(["logout"], home)).toBe("")
    expect((await call(service.url, "/v1/me", { token })).status).toBe(401)
    expect(await atrium(["whoami"], home)).toMatchObject({ code: 2, out: "" })
  })

  it("[D-41] that is denied keeps nothing", async () => {
    const home = homeOf("denied")
    const { code, out, err } = await logIn(false, home)
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(
      /\nE_LOGIN_CODE: .*\nit was denied, or is over: run `atrium login` again\n$/
    )
    expect(await atrium(["whoami"], home)).toMatchObject({ code: 2, out: "" })
  })
})

describe("keys and rooms", () => {
  const login = () => ({ ATRIUM_TOKEN: service.token })
  const mint = async (scope: string, label: string): Promise<string> => {
    const out = await done(["api-keys", "mint", "--scopes", scope, "--label", label], login())
    expect(out).toMatch(/^rk_[A-Za-z0-9_-]{43}\n$/)
    return out.trim()
  }
  const statusOf = async (roomId: string, env: Record<string, string>): Promise<string> =>
    JSON.parse(await done(["rooms", "get", roomId, "--json"], env)).status

  it("[cli.api-keys.mint] [cli.api-keys.list] [cli.api-keys.revoke] from the first use to the last", async () => {
    const reader = await mint("rooms:read", "reader")
    const env = { SERVICE_API_KEY: reader }
    expect(await done(["rooms", "--json"], env)).toBe("[]\n")
    const listed = await done(["api-keys", "list", "--json"], login())
    expect(listed).not.toContain(reader)
    const [row] = JSON.parse(listed)
    expect(row).toMatchObject({ label: "reader", scopes: ["rooms:read"], revokedAt: null })
    expect(await done(["api-keys", "list"], login())).toContain(row.keyId)
    // No key looks after keys, not even after itself.
    expect(await atrium(["api-keys", "revoke", row.keyId], env)).toMatchObject({ code: 2, out: "" })
    expect(await atrium(["rooms", "delete", "nowhere"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^E_SCOPE: .*rooms:write/)
    })
    expect(await atrium(["rooms", "--project", "p_ffffffffffffffff"], env)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^E_NOT_FOUND: not found\nthe key of SERVICE_API_KEY is for no/)
    })
    await done(["api-keys", "revoke", row.keyId], login())
    expect(await atrium(["rooms"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^E_UNAUTHENTICATED: /)
    })
    expect(await atrium(["api-keys", "revoke", "key_0000000000000000"], login())).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^E_KEY_NOT_FOUND: /)
    })
  })

  it("[cli.rooms.list] [cli.rooms.get] [cli.rooms.set-retention] [cli.rooms.saves] [cli.rooms.restore] [cli.rooms.delete-force] a room's life", async () => {
    const env = { SERVICE_API_KEY: await mint("rooms:read,rooms:write", "writer") }
    const room = await (await player()).joinOrCreate(probe, { roomId: "arena-1" })
    await room.request("add", { by: 7 })
    // Its clients are told with the room's next report.
    await until("the list tells of the client", async () =>
      /^ROOM .*\narena-1 +awake +1\/\d+ /.test(await done(["rooms", "--active"], env))
    )
    expect(await atrium(["rooms", "--idle"], env)).toEqual({ code: 0, out: "", err: "no rooms\n" })
    expect(await atrium(["rooms", "delete", "arena-1"], env)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^E_ROOM_IN_USE: .*\n--force sends/)
    })
    expect(room.connected).toBe(true)
    await room.leave()
    await until("it sleeps", async () => (await statusOf("arena-1", env)) === "hibernated")

    expect(JSON.parse(await done(["rooms", "--idle", "--json"], env))).toHaveLength(1)
    const old = await atrium(["rooms", "--idle", "--idle-longer-than", "1h"], env)
    expect(old).toEqual({ code: 0, out: "", err: "no rooms\n" })
    const set = (retention: string) =>
      done(["rooms", "set", "arena-1", "--retention", retention, "--json"], env)
    expect(JSON.parse(await set("30d"))).toMatchObject({
      retention: "30d",
      retentionOverride: "30d"
    })
    expect(JSON.parse(await set("forever"))).toMatchObject({ retentionOverride: "forever" })
    expect(JSON.parse(await set("clear"))).toMatchObject({ retentionOverride: null })

    const [save] = JSON.parse(await done(["rooms", "saves", "arena-1", "--json"], env))
    expect(save.saveId).toMatch(/^sv_[0-9a-f]{16}$/)
    expect(await done(["rooms", "saves", "get", "arena-1", save.saveId], env)).toHaveLength(
      save.bytes
    )
    await done(["rooms", "saves", "get", "arena-1", save.saveId, "-o", "a.save"], env)
    expect((await stat(join(folder, "a.save"))).size).toBe(save.bytes)

    const again = await (await player()).joinOrCreate(probe, { roomId: "arena-1" })
    await again.request("add", { by: 100 })
    await again.leave()
    await until("it sleeps again", async () => (await statusOf("arena-1", env)) === "hibernated")
    expect(await done(["rooms", "restore", "arena-1", save.saveId], env)).toMatch(
      /^queued: arena-1/
    )
    await until("it is restored", async () => (await counterOf("arena-1")) === 7)

    await (await player()).joinOrCreate(probe, { roomId: "arena-1" })
    expect(await done(["rooms", "delete", "arena-1", "--force"], env)).toMatch(
      /^deleted arena-1: \d+/
    )
    expect(await atrium(["rooms", "get", "arena-1"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^E_ROOM_NOT_FOUND: /)
    })
  })

  it("[cli.keys.jwt-secret] [cli.keys.jwt-mint] a secret, and a credential that lets a player in", async () => {
    const unasked = await atrium(["keys", "jwt-secret"], login())
    expect(unasked).toMatchObject({ code: 2, out: "" })
    const shown = await atrium(["keys", "jwt-secret", "--yes"], login())
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.out).toMatch(/^js_[A-Za-z0-9_-]{43}\n$/)
    const again = await atrium(["keys", "jwt-secret", "--yes"], login())
    expect(again).toMatchObject({ code: 1, out: "" })
    expect(again.err).toMatch(/^E_SECRET_EXISTS: /)
    const secret = { SERVICE_JWT_SECRET: shown.out.trim() }
    const argv = ["keys", "jwt-mint", "--player", "ada", "--room", "jwt-1", "--name", "Ada"]
    const token = (await done(argv, secret)).trim()

    await expect((await player()).joinOrCreate(probe, { roomId: "jwt-1" })).rejects.toThrow()
    const inside = await (await player(token)).joinOrCreate(probe, { roomId: "jwt-1" })
    expect(await inside.request("add", { by: 1 })).toEqual({ value: 1 })
    await inside.leave()
    await expect((await player(token)).joinOrCreate(probe, { roomId: "jwt-2" })).rejects.toThrow()

    const rotated = await done(["keys", "jwt-secret", "--rotate", "-y"], login())
    expect(rotated).toMatch(/^js_/)
    expect(rotated).not.toBe(shown.out)
    const newer = (await done(argv, { SERVICE_JWT_SECRET: rotated.trim() })).trim()
    for (const each of [token, newer]) {
      const room = await (await player(each)).joinOrCreate(probe, { roomId: "jwt-1" })
      await room.leave()
    }
    expect(service.output()).not.toContain(shown.out.trim())

    const deleted = await done(["keys", "jwt-secret", "--delete", "--yes"], login())
    expect(deleted).toMatch(/^deleted JWT secret 2, 1 of p_.*: anonymous players join/)
    const anybody = await (await player()).joinOrCreate(probe, { roomId: "jwt-1" })
    await anybody.leave()
  })
})
