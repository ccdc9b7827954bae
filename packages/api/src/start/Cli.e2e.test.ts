import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"

import { programOf } from "../testing/BuiltPrograms.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

// The command as a process, against the service: what its own tests say of the routes is true here.

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
interface Home {
  readonly XDG_CONFIG_HOME: string
}

/** Starts a login, and allows it as the person in the browser. */
const logIn = async (home: Home): Promise<Ended> => {
  const running = start(["login"], home)
  await until("the code is shown", async () => /^waiting/m.test(running.err()))
  const userCode = /^code {2}(\S+)$/m.exec(running.err())?.[1] ?? ""
  expect(running.err()).toContain(`open  ${service.url}/login?code=${userCode}\n`)
  const body = { userCode, allow: true }
  const answer = await call(service.url, "/v1/login/approve", { token: service.token, body })
  expect(answer.status).toBe(200)
  return running.ended
}

it("[D-23] [D-50] a login by the device flow, until its logout", async () => {
  const home = { XDG_CONFIG_HOME: join(folder, "allowed") }
  expect(await atrium(["whoami"], home)).toMatchObject({ code: 2, out: "" })
  const { code, out, err } = await logIn(home)
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

it("[cli.keys.jwt-secret] [cli.keys.jwt-mint] a join secret, and a credential that lets a player in", async () => {
  const shown = await atrium(["keys", "jwt-secret", "--yes"], { ATRIUM_TOKEN: service.token })
  expect(shown).toMatchObject({ code: 0 })
  expect(shown.out).toMatch(/^js_[A-Za-z0-9_-]{43}\n$/)
  const secret = { SERVICE_JWT_SECRET: shown.out.trim() }
  const argv = ["keys", "jwt-mint", "--player", "ada", "--room", "jwt-1", "--name", "Ada"]
  const token = (await done(argv, secret)).trim()

  await expect((await player()).joinOrCreate(probe, { roomId: "jwt-1" })).rejects.toThrow()
  const inside = await (await player(token)).joinOrCreate(probe, { roomId: "jwt-1" })
  expect(await inside.request("add", { by: 1 })).toEqual({ value: 1 })
  await inside.leave()
  await expect((await player(token)).joinOrCreate(probe, { roomId: "jwt-2" })).rejects.toThrow()

  expect(service.output()).not.toContain(shown.out.trim())
})
