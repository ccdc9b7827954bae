import { randomBytes } from "node:crypto"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { type Program, programOf } from "@atrium/api/testing/BuiltPrograms"
import { copyPreparedCluster } from "@atrium/api/testing/PreparedCluster"
import { spawnService } from "@atrium/api/testing/SpawnService"

import { ownCli } from "./OwnCli.ts"

export interface OwnService {
  /** Path of the configuration that the suite reads. */
  readonly config: string
  readonly output: () => string
  stop(): Promise<void>
}

/** The settings that a run may change. */
export interface OwnServiceOptions {
  /** An existing PostgreSQL; absent = the embedded one. */
  readonly databaseUrl?: string
  /** Where the programs are; absent = built, where this run has built them. */
  readonly pathOf?: (program: Program) => string
  readonly env?: Readonly<Record<string, string>>
}

/** Our own service, with its control listener, in a folder that goes with it. */
export const startOwnService = async (options: OwnServiceOptions = {}): Promise<OwnService> => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-conformance-"))
  const token = `ct_${randomBytes(32).toString("base64url")}`
  const pathOf = options.pathOf ?? programOf
  if (options.databaseUrl === undefined) copyPreparedCluster(join(folder, "data/postgres"))
  const child = spawnService({
    command: [process.execPath, pathOf("service"), "--control-port", "0"],
    cwd: folder,
    env: {
      HOME: folder,
      PORT: "0",
      ATRIUM_DATA: join(folder, "data"),
      ATRIUM_BOOTSTRAP_TOKEN: token,
      // The suite says in a header which address it asks from.
      ATRIUM_TRUSTED_PROXIES: "127.0.0.1",
      // A further address, which must not take clients of rooms.
      ATRIUM_PRIVATE_ADDRESS: "127.0.0.1:0",
      ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
      ...options.env
    }
  })
  const stop = async (): Promise<void> => {
    await child.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const started = { url: await child.ready, control: controlOf(child.output()) }
    const config = join(folder, "conformance.config.json")
    const given = { folder, token, pathOf }
    await writeFile(config, JSON.stringify(await configOf(started, given), null, 2))
    return { config, output: child.output, stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}

interface Started {
  readonly url: string
  readonly control: { readonly url: string; readonly token: string }
}

const controlOf = (output: string): Started["control"] => {
  const [, url = "", token = ""] = /^control (http:\S+) (ctl_\S+)$/m.exec(output) ?? []
  return { url, token }
}

const configOf = async (
  { url: baseUrl, control }: Started,
  {
    folder,
    token,
    pathOf
  }: {
    readonly folder: string
    readonly token: string
    readonly pathOf: (program: Program) => string
  }
): Promise<unknown> => {
  const declared: unknown = JSON.parse(
    await readFile(join(import.meta.dirname, "atrium.json"), "utf8")
  )
  return {
    ...Object(declared),
    baseUrl,
    control,
    accounts: [token, await strangersToken(baseUrl, token)],
    ...(await ownCli({ baseUrl, token, folder, pathOf })),
    adapter: { argv: [process.execPath, pathOf("adapter")] }
  }
}

/** A second account, by invitation. */
const strangersToken = async (baseUrl: string, token: string): Promise<string> => {
  const code = await posted(`${baseUrl}/v1/me/invitations`, {
    token,
    field: "code",
    body: { name: "stranger" }
  })
  const body = { code, name: "stranger" }
  return posted(`${baseUrl}/v1/login/invitation`, { token: null, field: "token", body })
}

const posted = async (
  url: string,
  request: { readonly token: string | null; readonly field: string; readonly body: unknown }
): Promise<string> => {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(request.token === null ? {} : { authorization: `Bearer ${request.token}` })
    },
    body: JSON.stringify(request.body)
  })
  const text = await response.text()
  const value: unknown = Object(JSON.parse(text))[request.field]
  if (typeof value !== "string") throw new Error(`${url} answered ${response.status}: ${text}`)
  return value
}
