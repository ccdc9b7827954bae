import { randomBytes, randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { bundleRooms } from "@atrium/sdk/bundle"

import { ownerToken } from "../../../../scripts/databaseContents.ts"
import { makeOwnedTables } from "../../../../scripts/makeTestDatabase.ts"
import { programOf } from "./BuiltPrograms.ts"
import { copyPreparedCluster } from "./PreparedCluster.ts"
import { type SpawnedService, spawnService } from "./SpawnService.ts"

export const repository = fileURLToPath(new URL("../../../..", import.meta.url))

/** The service as a process of its own, as a user starts it. */
export interface RunningService {
  readonly url: string
  readonly token: string
  /** A project with the rooms of `rooms/` deployed. */
  readonly project: string
  readonly pid: number
  readonly dataDir: string
  /** The database that it was given; empty = its own. */
  readonly databaseUrl: string
  /** Everything that it wrote so far. */
  output(): string
  /** Answers with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface ServiceOptions {
  readonly env: Readonly<Record<string, string>>
  readonly args: ReadonlyArray<string>
  /** A program of Node that starts the service, with its arguments. */
  readonly by: ReadonlyArray<string>
  /** The file of the service; absent = built, where the run has built it. */
  readonly program: string
  /** Lines of a shell that run before it, as root, in a mount namespace of its own. */
  readonly mounts: string
  /** Descriptors of this process that the service gets, from its number 3 on. */
  readonly inherits: ReadonlyArray<number | "ignore">
}

/** A place for a service: database and data folder outlive its restarts. */
export interface ServiceHome {
  readonly dataDir: string
  start(options?: Partial<ServiceOptions>): Promise<RunningService>
  /** Ends what still runs and removes database and data folder. */
  remove(): Promise<void>
}

/**
 * @param store `embedded` = as a newcomer starts it: its own PostgreSQL, its own token; `prepared` = the same on a cluster
 * that the run has made once; `given` = a database for this home, with an owner and without the demo; else one that
 * the caller has
 */
export const makeHome = async (
  store: "given" | "embedded" | "prepared" | { readonly url: string } = "given"
): Promise<ServiceHome> => {
  const database = store === "given" ? await makeOwnedTables() : null
  const { url: databaseUrl } = typeof store === "object" ? store : (database ?? { url: "" })
  const dataDir = await mkdtemp(join(tmpdir(), "atrium-e2e-"))
  if (store === "prepared") copyPreparedCluster(join(dataDir, "postgres"))
  const newToken = (): string => `ct_${randomBytes(32).toString("base64url")}`
  let token = database !== null ? ownerToken : databaseUrl === "" ? "" : newToken()
  const children = new Set<SpawnedService>()
  let project: string | null = null

  const start = async ({
    env = {},
    args = [],
    by = [],
    program = programOf("service"),
    mounts = "",
    inherits = []
  }: Partial<ServiceOptions> = {}): Promise<RunningService> => {
    const node = [process.execPath, ...by, program, ...args]
    const shell = ["unshare", "--mount", "/bin/sh", "-ec", `${mounts}\nexec "$@"`, "sh"]
    const child = spawnService({
      command: mounts === "" ? node : [...shell, ...node],
      cwd: repository,
      inherits,
      env: {
        HOME: process.env["HOME"],
        PORT: "0",
        ATRIUM_DATA: dataDir,
        // Tests and load come from one address in great numbers.
        ATRIUM_EXEMPT_ADDRESSES: "127.0.0.0/8,::1",
        ...(databaseUrl === "" ? {} : { ATRIUM_BOOTSTRAP_TOKEN: token, DATABASE_URL: databaseUrl }),
        ...env
      }
    })
    children.add(child)
    void child.ended.then(() => children.delete(child))
    const url = await child.ready
    if (token === "") token = /^ +(ct_\S+)$/m.exec(child.output())?.[1] ?? ""
    project ??= await makeProject(url, token)
    return {
      url,
      token,
      project,
      pid: child.pid,
      dataDir,
      databaseUrl,
      output: child.output,
      stop: (signal = "SIGTERM") => {
        child.kill(signal)
        return child.ended
      }
    }
  }

  return {
    dataDir,
    start,
    remove: async () => {
      const left = [...children]
      for (const child of left) child.kill("SIGKILL")
      await Promise.all(left.map(({ ended }) => ended))
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    }
  }
}

/** A project with the rooms of `rooms/` deployed. */
export const makeProject = async (url: string, token: string): Promise<string> => {
  const answer = await call(url, "/v1/projects", { token, body: { name: "e2e" } })
  const id = answer.body["id"]
  if (typeof id !== "string") throw new Error(`no project: ${JSON.stringify(answer)}`)
  await deploy({ url, token, project: id }, ["rooms/probe.ts", "rooms/single.ts"])
  return id
}

/** One call of the HTTP API, with its answer read. */
export const call = async (
  url: string,
  path: string,
  request: { readonly token?: string; readonly body?: unknown; readonly method?: string } = {}
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
  const response = await fetch(`${url}${path}`, {
    method: request.method ?? (request.body === undefined ? "GET" : "POST"),
    headers: {
      ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
      ...(request.body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) })
  })
  return { status: response.status, body: Object(await response.json()) }
}

type DeployTarget = Pick<RunningService, "url" | "token" | "project">
const thisFolder = fileURLToPath(new URL(".", import.meta.url))

/** Bundles of this folder, which does not change in a run: nearly every service gets the same one. */
const bundles = new Map<string, Promise<Uint8Array>>()

const bundleOf = async (files: ReadonlyArray<string>, resolveDir: string): Promise<Uint8Array> => {
  const bundled = async (): Promise<Uint8Array> =>
    (await bundleRooms({ entries: files, resolveDir })).bytes
  if (resolveDir !== thisFolder) return bundled()
  const name = files.join()
  const made = bundles.get(name) ?? bundled()
  bundles.set(name, made)
  return made
}

/** The bundle of room files of this folder. */
export const bundleOfRooms = (files: ReadonlyArray<string>): Promise<Uint8Array> =>
  bundleOf(files, thisFolder)

/** Bundles room files, of this folder unless another is named, and uploads them as `atrium deploy` does. */
export const deploy = async (
  target: DeployTarget,
  files: ReadonlyArray<string>,
  resolveDir = thisFolder
): Promise<Answered> => uploadBundle(target, await bundleOf(files, resolveDir))

/** The same, and a version comes of it even where the code has not changed. */
export const deployAnew = async (
  target: DeployTarget,
  files: ReadonlyArray<string>,
  resolveDir = thisFolder
): Promise<Answered> => {
  const bytes = await bundleOf(files, resolveDir)
  return uploadBundle(target, Buffer.concat([bytes, Buffer.from(`\n// ${randomUUID()}`)]))
}

interface Answered {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** Uploads a bundle as it is. @param query with its `?` */
export const uploadBundle = (
  target: DeployTarget,
  bytes: Uint8Array,
  query = ""
): Promise<Answered> => sendBundle(target, bytes, `deployments${query}`)

/** Begins to rehearse a bundle. @param query with its `?` */
export const beginRehearsal = (
  target: DeployTarget,
  bytes: Uint8Array,
  query = ""
): Promise<Answered> => sendBundle(target, bytes, `rehearsals${query}`)

const sendBundle = async (
  { url, token, project }: DeployTarget,
  bytes: Uint8Array,
  path: string
): Promise<Answered> => {
  const response = await fetch(`${url}/v1/projects/${project}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/javascript" },
    body: new Uint8Array(bytes)
  })
  return { status: response.status, body: Object(await response.json()) }
}
