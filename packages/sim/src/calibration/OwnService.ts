import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { bundleRooms, endBundler } from "@atrium/sdk/bundle"

const rooms = "packages/sim/src/calibration/rooms"

/** A service on this machine that nobody else uses, with rooms to measure. */
export interface OwnService {
  readonly pid: number
  readonly url: string
  /** Deploys a room or schema file of the clone. @returns the project that has its rooms, and nothing else */
  deploy(path: string): Promise<string>
  stop(): Promise<void>
}

/** Files with rooms that a calibration measures: some run code, and relay rooms. */
export const calibrationRooms = {
  code: `${rooms}/CalibrationRooms.ts`,
  relay: `${rooms}/RelaySchema.ts`
} as const

/** The folder itself or the nearest one above it that is a clone of Atrium; `null` = none of them is. */
export const cloneAround = (folder: string): string | null => {
  if (isClone(folder)) return folder
  const parent = dirname(folder)
  return parent === folder ? null : cloneAround(parent)
}

const isClone = (folder: string): boolean => {
  const manifest = join(folder, "package.json")
  if (![manifest, join(folder, rooms)].every((path) => existsSync(path))) return false
  try {
    const json: unknown = JSON.parse(readFileSync(manifest, "utf8"))
    return Object(json)["name"] === "atrium"
  } catch {
    return false
  }
}

const stopWithinMs = 30_000

/** Starts a service of a clone on a PostgreSQL and a port of its own, with data that `stop` removes. */
export const startOwnService = async (clone: string): Promise<OwnService> => {
  const data = await mkdtemp(join(tmpdir(), "atrium-calibrate-"))
  const { PATH, HOME } = process.env
  const node = join(clone, "node_modules/.bin/node")
  const child = spawn(node, [join(clone, "packages/api/src/main.ts")], {
    cwd: clone,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH, HOME, PORT: "0", ATRIUM_DATA: data, ATRIUM_EXEMPT_ADDRESSES: "127.0.0.0/8,::1" }
  })
  const exited = once(child, "exit")
  // Whatever ends this program: nothing of it stays.
  const end = (): void => void child.kill("SIGTERM")
  process.once("exit", end)
  const stop = async (): Promise<void> => {
    // A real process that hangs must not hold up the command.
    const kill = setTimeout(() => child.kill("SIGKILL"), stopWithinMs)
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
    await exited
    clearTimeout(kill)
    process.off("exit", end)
    await rm(data, { recursive: true, force: true })
  }
  try {
    const started = await startedOf(child)
    return {
      pid: child.pid ?? 0,
      url: started.url,
      deploy: (path) => projectWith(started, join(clone, path)),
      stop
    }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Started {
  readonly url: string
  /** The login of its first start. It is in no output of this program. */
  readonly token: string
}

const startedOf = (child: ChildProcess): Promise<Started> =>
  new Promise((resolve, reject) => {
    let output = ""
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const url = /^ready (http:\S+)$/m.exec(output)?.[1]
      const token = /^ +(ct_\S+)$/m.exec(output)?.[1]
      if (url !== undefined && token !== undefined) resolve({ url, token })
    }
    child.stdout?.on("data", read)
    child.stderr?.on("data", read)
    child.on("error", reject)
    child.on("exit", (code) => reject(new Error(`the service ended with ${code}:\n${output}`)))
  })

const projectWith = async ({ url, token }: Started, entry: string): Promise<string> => {
  const { bytes } = await bundleRooms({ entries: [entry], resolveDir: dirname(entry) })
  await endBundler()
  const authorization = `Bearer ${token}`
  const made = await answerOf(`${url}/v1/projects`, {
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "calibration" })
  })
  const id = String(made["id"])
  await answerOf(`${url}/v1/projects/${id}/deployments`, {
    headers: { authorization, "content-type": "application/javascript" },
    body: new Uint8Array(bytes)
  })
  return id
}

const answerOf = async (
  url: string,
  request: {
    readonly headers: Record<string, string>
    readonly body: string | Uint8Array<ArrayBuffer>
  }
): Promise<Record<string, unknown>> => {
  const response = await fetch(url, { method: "POST", ...request })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
  return Object(JSON.parse(text))
}
