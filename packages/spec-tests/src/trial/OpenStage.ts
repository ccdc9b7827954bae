import { randomInt } from "node:crypto"

import { Unsupported, Untestable } from "../check/Expect.ts"
import type { OpenAsked, OpenEndpoint } from "../codec/OpenCalls.ts"
import { hourMs } from "../tables/Units.ts"
import type { HttpAnswer } from "./HttpProbe.ts"
import type { Project } from "./Project.ts"
import { mintIdentity } from "./RoomSockets.ts"
import type { Trial } from "./Trial.ts"

/** Addresses of this run, none of them twice: 10.0.0.0/8 from somewhere on. */
let addresses = randomInt(2 ** 23)

/** An address that nobody asked from. */
export const freshAddress = (): string => {
  const n = addresses++
  return ["10", (n >> 16) & 255, (n >> 8) & 255, n & 255].join(".")
}

/** The first four groups of an IPv6 address, of which nobody asked. */
export const freshPrefix = (): string => {
  const n = addresses++
  return `fd00:${((n >> 16) & 255).toString(16)}:${(n & 65_535).toString(16)}:1`
}

/** A project whose open endpoints can be asked. */
export interface OpenStage {
  readonly project: Project
  /** From an address of one's own; `null` = the one that the suite has. */
  call(endpoint: OpenEndpoint, from: string | null, asked?: Partial<OpenAsked>): Promise<HttpAnswer>
  /** Rooms in the public registry, which is read like a leaderboard (D-21). */
  lobby(from: string | null): Promise<HttpAnswer>
}

/** What an endpoint needs of its project is there. */
export const openStage = async (trial: Trial, endpoint: OpenEndpoint): Promise<OpenStage> => {
  const project = await trial.project()
  const asked: OpenAsked = {
    project: project.id,
    identity: needsIdentity.has(endpoint) ? await mintIdentity(trial, project) : "",
    board: endpoint === "leaderboard.read" ? await boardOf(project) : "",
    room: endpoint === "audience.mint" ? await audienceOf() : "",
    assertion: endpoint === "identity.assertion" ? await assertionOf(trial, project) : ""
  }
  return {
    project,
    call: (called, from, more = {}) =>
      trial.send({
        ...trial.codecs.openCall(called, { ...asked, ...more }),
        ...headersFrom(trial, from)
      }),
    lobby: (from) =>
      trial.send({
        ...{ method: "GET", path: trial.codecs.lobbyPath(project.id) },
        ...headersFrom(trial, from)
      })
  }
}

const needsIdentity: ReadonlySet<OpenEndpoint> = new Set([
  ...(["match.join", "match.party"] as const),
  ...(["account.linkCode", "account.link", "account.manage"] as const)
])

const headersFrom = ({ config }: Trial, from: string | null) => {
  if (from === null) return {}
  if (config.addressHeader === undefined) throw new Unsupported("no hook: address")
  return { headers: { [config.addressHeader]: from } }
}

const boardOf = async (project: Project): Promise<string> => {
  const body = { name: project.name, boards: { main: { direction: "higher" } } }
  const answer = await project.ask("", { method: "PATCH", body })
  if (answer.status >= 300) throw new Untestable(`no board: ${answer.status} ${answer.text}`)
  return "main"
}

/** There is no fixture of a relay room: who has audiences brings one. */
const audienceOf = (): Promise<string> =>
  Promise.reject(new Unsupported("the suite ships no room with an audience"))

const assertionOf = async (trial: Trial, project: Project): Promise<string> => {
  const path = trial.codecs.joinSecretPath(project.id)
  const answer = await trial.send({ method: "POST", path, bearer: project.login, body: {} })
  const secret = trial.codecs.joinSecret(answer.json)
  if (secret === null) throw new Untestable(`no secret to assert with: ${answer.status}`)
  const nowMs = await trial.control.nowMs()
  return trial.codecs.room.credential(secret, {
    ...{ project: project.id, player: "ann", room: "*" },
    ...{ issuedAtMs: nowMs, expiresAtMs: nowMs + hourMs }
  })
}
