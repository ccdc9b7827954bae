import { eachOf, sleep, upTo } from "@atrium/api/testing/load/Tasks"
import { call, deploy } from "@atrium/api/testing/RunningService"
import { bundleRooms } from "@atrium/sdk/bundle"
import { Client } from "@atrium/sdk/client"

import type { Counts } from "./Attacks.ts"
import { crowd, crowdRooms } from "./rooms/crowdSchema.ts"

/** Where the crowd goes, and what it is like. */
export interface CrowdField {
  readonly url: string
  readonly token: string
  readonly hostile: boolean
}

/** Six projects on one service: each has three rooms that are busy, and deploys again and again. */
export interface Crowd {
  readonly counts: Counts
  stop(): void
}

const MiB = 1024 * 1024
const projects = 6
const pauseMs = 1000
/** Just under the limits of a bundle, and of a source map that the service reads at all. */
const mapBytes = [31 * MiB, 7.5 * MiB]

/** Starts the crowd; it is busy when this resolves. */
export const startCrowd = async (field: CrowdField): Promise<Crowd> => {
  const counts: Counts = {}
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  let going = true
  const again = async (act: () => Promise<string>): Promise<void> => {
    while (going) {
      count(await act().catch((error: unknown) => String(Object(error)["code"] ?? error)))
      await sleep(pauseMs)
    }
  }
  await eachOf(upTo(projects), 1, async (number) => {
    const project = await projectOf(field, number)
    const refused = refusedBundle(field.hostile)
    void again(() => deployOnce({ ...field, project }, refused))
    for (const roomId of crowdRooms) {
      void again(() => playUntilClosed({ ...field, project }, roomId))
    }
  })
  return {
    counts,
    stop: () => {
      going = false
    }
  }
}

type CrowdProject = CrowdField & { readonly project: string }

const projectOf = async (field: CrowdField, number: number): Promise<string> => {
  const { url, token, hostile } = field
  const made = await call(url, "/v1/projects", { token, body: { name: `crowd ${number}` } })
  const project = String(made.body["id"])
  const resolveDir = `${import.meta.dirname}/rooms`
  const answer = hostile
    ? await upload({ ...field, project }, await hostileBundle(resolveDir, mapBytes[number % 2]))
    : await deploy({ url, token, project }, ["HarmlessRooms.ts"], resolveDir)
  if (answer.status !== 201) throw new Error(`no deployment: ${JSON.stringify(answer.body)}`)
  return project
}

const upload = async (
  { url, token, project }: CrowdProject,
  bundle: string
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
  const response = await fetch(`${url}/v1/projects/${project}/deployments`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/javascript" },
    body: bundle
  })
  return { status: response.status, body: Object(await response.json()) }
}

/** @returns what became of a deployment that cannot succeed */
const deployOnce = async (place: CrowdProject, bundle: string): Promise<string> => {
  const { status, body } = await upload(place, bundle)
  return `deploy ${status} ${String(Object(body["error"])["code"])}`
}

/** @returns how its stay in the room ended */
const playUntilClosed = async ({ url, project }: CrowdProject, roomId: string): Promise<string> => {
  const room = await new Client(url, { project }).joinOrCreate(crowd, { roomId })
  return new Promise((resolve) => {
    room.onLeave((code) => resolve(`${roomId} closed ${code}`))
  })
}

/** Hands room code the way to the service, as a bundle with a runtime of its own has it. */
const wayToService = `
;{
  const { connect, rooms } = module.exports
  module.exports = {
    rooms,
    connect: (port, exported) => {
      globalThis.toService = (bytes) => port.send(bytes)
      return connect(port, exported)
    }
  }
}
`

const mapComment = "\n//# sourceMappingURL="

const hostileBundle = async (resolveDir: string, bytes = 0): Promise<string> => {
  const bundle = await bundleRooms({ entries: ["HostileRooms.ts"], resolveDir })
  const text = Buffer.from(bundle.bytes).toString()
  const mapAt = text.lastIndexOf(mapComment)
  return `${mapAt === -1 ? text : text.slice(0, mapAt)}${wayToService}${bombOf(bytes)}`
}

/** A source map with a segment for each two of its bytes. */
const bombOf = (bytes: number): string => {
  const segments = "A,".repeat(Math.floor((bytes * 3) / 8) - 1000)
  const map = JSON.stringify({ version: 3, sources: ["room.ts"], names: [], mappings: segments })
  const base64 = Buffer.from(map).toString("base64")
  return `${mapComment}data:application/json;base64,${base64}`
}

/** It throws as it is loaded: its stack is mapped, or a comment of the same size is nothing to map. */
const refusedBundle = (hostile: boolean): string => {
  const [bytes = 0] = mapBytes
  return `throw new Error("refused")${hostile ? bombOf(bytes) : `\n//${"x".repeat(bytes)}`}`
}
