import { isSuccess } from "../check/Answers.ts"
import { brought } from "../check/Expect.ts"
import type { OpenAsked, OpenEndpoint } from "../codec/OpenCalls.ts"
import { hourMs } from "../sections/Units.ts"
import { headersFrom } from "./Addresses.ts"
import { watchedRoom } from "./AudienceStage.ts"
import type { HttpAnswer } from "./HttpProbe.ts"
import type { Project } from "./Project.ts"
import { mintIdentity } from "./RoomSockets.ts"
import type { Trial } from "./Trial.ts"

/** A project whose open endpoints can be asked. */
export interface OpenStage {
  readonly project: Project
  /** From an address of one's own; `null` = the one that the suite has. */
  call(endpoint: OpenEndpoint, from: string | null, asked?: Partial<OpenAsked>): Promise<HttpAnswer>
  /** Rooms in the public registry, which is read like a leaderboard (D-21). */
  lobby(from: string | null): Promise<HttpAnswer>
}

/** A project with all that an endpoint needs. @param beside a stage whose project gets another room */
export const openStage = async (
  trial: Trial,
  endpoint: OpenEndpoint,
  beside?: OpenStage
): Promise<OpenStage> => {
  const project = beside?.project ?? (await trial.project())
  const asked: OpenAsked = {
    project: project.id,
    identity: needsIdentity.has(endpoint) ? await mintIdentity(trial, project) : "",
    board: endpoint === "leaderboard.read" ? await boardOf(project) : "",
    room: endpoint === "audience.mint" ? await watchedRoom(trial, project) : "",
    assertion: endpoint === "identity.assertion" ? (await assertionsOf(trial, project))("ann") : ""
  }
  let managed = 0
  return {
    project,
    call: (called, from, more = {}) =>
      trial.send({
        // The account and its devices are one allowance: every other call is about the devices.
        ...trial.codecs.openCall(called, {
          ...asked,
          ...(called === "account.manage" ? { devices: managed++ % 2 === 1 } : {}),
          ...more
        }),
        ...(from === null ? {} : { headers: headersFrom(trial, from) })
      }),
    lobby: (from) =>
      trial.send({
        method: "GET",
        path: trial.codecs.lobbyPath(project.id),
        ...(from === null ? {} : { headers: headersFrom(trial, from) })
      })
  }
}

const needsIdentity: ReadonlySet<OpenEndpoint> = new Set([
  ...(["match.join", "match.party"] as const),
  ...(["account.linkCode", "account.link", "account.manage"] as const)
])

const boardOf = async (project: Project): Promise<string> => {
  const body = { name: project.name, boards: { main: { direction: "higher" } } }
  const answer = await project.ask("", { method: "PATCH", body })
  isSuccess(answer)
  return "main"
}

/** Signs assertions of players with a new secret of the project. */
export const assertionsOf = async (
  trial: Trial,
  project: Project
): Promise<(player: string) => string> => {
  const path = trial.codecs.joinSecretPath(project.id)
  const answer = await trial.send({ method: "POST", path, bearer: project.login, body: {} })
  const secret = brought("a new join secret", answer, trial.codecs.joinSecret(answer.json))
  const nowMs = await trial.control.nowMs()
  const times = { issuedAtMs: nowMs, expiresAtMs: nowMs + hourMs }
  return (player) => trial.codecs.room.assertion(secret, { project: project.id, player, ...times })
}
