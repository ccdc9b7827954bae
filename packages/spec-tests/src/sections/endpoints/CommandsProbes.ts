import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

import { holds, same } from "../../check/Expect.ts"
import type { CliRun } from "../../trial/CliProbe.ts"
import type { Answers, Arrived } from "../../trial/Listener.ts"
import type { Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"

export const project = "p_0123456789abcdef"

/** A row of the list, as the specification shows it. */
export const row = {
  project,
  roomId: "conformance-room",
  status: "hibernated",
  slot: 0,
  clients: 0,
  lastSeen: "2026-01-01T00:00:00.000Z",
  maxClients: 8,
  backfill: false,
  retention: null,
  retentionOverride: null,
  deletesAt: null
}

export const listOfRooms: Answers = () => ({ body: [row] })

/** An API key of the form that the implementation gives them. */
export const someKey = async (trial: Trial): Promise<string> =>
  (await (await trial.project()).key("rooms:read")).secret

export const namesKeyOnly = (what: string, arrived: ReadonlyArray<Arrived>, key: string): void => {
  same(what, [...new Set(arrived.map(({ authorization }) => authorization))], [`Bearer ${key}`])
}

/** Every text in a folder and below it. */
export const textsBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")))
}

export const secretForm = /[a-z]+_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/

/** `rooms` with the key of a project, where a room is that somebody is in. */
export const roomOf = async (trial: Trial) => {
  const project = await trial.project()
  await trial.fixtures.deploy(project, "probe")
  const socket = await trial.socket({ project, room: "arena" })
  await socket.join()
  const key = await project.key("rooms:write")
  const rooms = (...args: ReadonlyArray<string>): Promise<CliRun> =>
    trial.cli.runLoggedIn(["rooms", ...args, "--project", project.id], {
      env: { SERVICE_API_KEY: key.secret }
    })
  const detail = async (): Promise<Readonly<Record<string, unknown>>> =>
    Object((await project.ask("/rooms/arena")).json)
  return { project, socket, rooms, detail }
}

export const jsonOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The listed keys of a project, newest first. */
export const keyRows = async (
  project: Project
): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
  const { json } = await project.ask("/keys")
  return Array.isArray(json) ? json.map(Object) : []
}

/** A secret is all of standard output, and no part of standard error. Source: D-41. */
export const isAlone = (trial: Trial, secret: string, { stdout, stderr }: CliRun): void =>
  trial.chosen("D-41", () => {
    same("standard output", stdout.trim(), secret)
    holds("the secret is not in standard error", !stderr.includes(secret.slice(-43)), stderr)
  })

/** A part of a JWT. */
export const claimsOf = (part: string): Readonly<Record<string, unknown>> =>
  jsonOf(Buffer.from(part, "base64url").toString())
