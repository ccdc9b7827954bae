import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { afterEach, beforeEach, describe, expect, it } from "vitest"

import { type GameFolder, makeGameFolder } from "../testing/GameFolder.ts"
import { type RecordingService, startRecordingService } from "../testing/RecordingService.ts"
import { apiKey, loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"

/** At the address that tools of this machine use. */
let near: RecordingService
/** At an address that is this machine's, too, but no name that is known to be. */
let far: RecordingService
let game: GameFolder

beforeEach(async () => {
  near = await startRecordingService()
  far = await startRecordingService("127.0.0.2")
  for (const service of [near, far]) service.answer = () => ({ status: 200, body: [] })
  game = await makeGameFolder({ "service.json": `{"project":"${id}"}` })
})
afterEach(async () => {
  await near.close()
  await far.close()
  await game.remove()
})

const run = (argv: ReadonlyArray<string>, env: Record<string, string>) =>
  runCommand(argv, { cwd: game.path, env: { SERVICE_API_KEY: apiKey, ...env } })
const received = ({ requests }: RecordingService) =>
  requests.map(({ authorization }) => authorization)
const storedToken = `ct_${"s".repeat(43)}`
const logIn = async (...origins: ReadonlyArray<string>): Promise<void> => {
  const login = { token: storedToken, tokenId: "t", accountId: "a", name: "Ada", expiresAt: null }
  const logins = Object.fromEntries(origins.map((origin) => [origin, login]))
  await mkdir(join(game.path, ".config/atrium"), { recursive: true })
  const path = join(game.path, ".config/atrium/credentials.json")
  await writeFile(path, JSON.stringify({ logins }))
}

describe("where a credential goes", () => {
  it.each(["SERVICE_CONTROL_URL", "ATRIUM_URL"])(
    "[cli.key-hosts.env-refused] a host that only %s names receives nothing",
    async (variable) => {
      await logIn(near.url, "https://127.0.0.2", `http://127.0.0.2:1`)
      const all = { [variable]: far.url, ATRIUM_TOKEN: loginToken }
      const commands = [["rooms"], ["api-keys", "list"], ["keys", "jwt-secret"], ["whoami"]]
      for (const argv of [...commands, ["login"], ["logout"], ["deploy"], ["dev"]]) {
        expect(await run(argv, all)).toEqual({
          code: 2,
          out: "",
          err:
            `${variable} names ${far.url}, and no credential is sent to a host that only the environment names: ` +
            `say --url ${far.url}, or once: atrium login --url ${far.url}`
        })
      }
      expect(far.requests).toEqual([])
      expect(near.requests).toEqual([])
    }
  )

  it("[cli.key-hosts.allowed] a control plane that is logged in to receives the key", async () => {
    await logIn(far.url)
    const env = { SERVICE_CONTROL_URL: `${far.url}/` }
    expect(await run(["rooms"], env)).toMatchObject({ code: 0 })
    expect(await run(["rooms"], { ...env, SERVICE_API_KEY: "" })).toMatchObject({ code: 0 })
    expect(await run(["api-keys", "list"], env)).toMatchObject({ code: 0 })
    expect(received(far)).toEqual([apiKey, storedToken, storedToken].map((key) => `Bearer ${key}`))
  })

  it("[C-73] a stored login goes to its own origin alone", async () => {
    await logIn(far.url)
    const env = { SERVICE_API_KEY: "", ATRIUM_URL: near.url }
    expect(await run(["rooms"], env)).toMatchObject({ code: 2, out: "" })
    expect(await run(["api-keys", "list"], env)).toMatchObject({ code: 2, out: "" })
    expect(near.requests).toEqual([])
    expect(far.requests).toEqual([])
  })

  it("[C-74] --url goes before SERVICE_CONTROL_URL, and that before ATRIUM_URL", async () => {
    const env = { SERVICE_CONTROL_URL: "http://127.0.0.1:9", ATRIUM_URL: far.url }
    await run(["rooms", "--url", near.url], env)
    await run(["rooms"], { SERVICE_CONTROL_URL: near.url, ATRIUM_URL: far.url })
    await run(["rooms"], { SERVICE_CONTROL_URL: "", ATRIUM_URL: near.url })
    expect(received(near)).toHaveLength(3)
    expect(received(far)).toHaveLength(0)
  })

  it.each([301, 302, 303, 307, 308])(
    "[C-74] a redirect (%i) is not followed, also not on the same host",
    async (status) => {
      const { answer } = near
      for (const to of [`${far.url}/v1/projects`, `${near.url}/elsewhere`, "/elsewhere"]) {
        near.answer = () => ({ status, body: "", headers: { location: to } })
        expect(await run(["rooms"], { ATRIUM_URL: near.url })).toEqual({
          code: 1,
          out: "",
          err: `${near.url} sends to ${to}, and no credential follows; if that is the service, name it with --url`
        })
      }
      near.answer = answer
      expect(near.requests).toHaveLength(3)
      expect(far.requests).toEqual([])
    }
  )
})

describe("the file of logins", () => {
  const broken = async (): Promise<string> => {
    await logIn(near.url)
    const path = join(game.path, ".config/atrium/credentials.json")
    await writeFile(path, "{")
    return path
  }

  it("[C-75] a command that needs a broken file names it", async () => {
    const path = await broken()
    const err = `${path}: not a file of \`atrium login\`; mend or remove it`
    const keyless = { SERVICE_API_KEY: "", ATRIUM_URL: near.url }
    for (const argv of [["rooms"], ["whoami"], ["login"], ["logout"], ["api-keys", "list"]]) {
      expect(await run(argv, keyless)).toEqual({ code: 2, out: "", err })
    }
    expect(await run(["rooms"], { SERVICE_CONTROL_URL: far.url })).toEqual({
      code: 2,
      out: "",
      err
    })
    expect(near.requests).toEqual([])
    expect(far.requests).toEqual([])
  })

  it("[C-75] and holds up nobody else", async () => {
    await broken()
    expect(await run(["rooms"], { ATRIUM_URL: near.url })).toMatchObject({ code: 0 })
    const token = { ATRIUM_URL: near.url, ATRIUM_TOKEN: loginToken }
    expect(await run(["api-keys", "list"], token)).toMatchObject({ code: 0 })
  })
})
