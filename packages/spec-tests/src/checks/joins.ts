import { isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, oneOf, same, Untestable } from "../check/Expect.ts"
import { mintIdentity } from "../trial/RoomSockets.ts"
import { roomStage, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { refusedJoin } from "./roomLimits.ts"

const hourMs = 3_600_000

/** The project's new join secret. */
export const secretOf = async (trial: Trial, { project }: RoomStage): Promise<string> => {
  const path = trial.codecs.joinSecretPath(project.id)
  const answer = await trial.send({ method: "POST", path, bearer: project.login, body: {} })
  const secret = trial.codecs.joinSecret(answer.json)
  if (secret === null) throw new Untestable(`no join secret: ${answer.status}`)
  return secret
}

/** Who gets into a room. */
export const joinChecks: ReadonlyArray<Check> = [
  {
    ids: ["auth.join.credential-protects"],
    title: "a room accepts a valid join credential, and nothing else",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const other = await roomStage(trial)
      const [secret, otherSecret] = [await secretOf(trial, stage), await secretOf(trial, other)]
      const nowMs = await trial.control.nowMs()
      const { closes, credential } = trial.codecs.room
      const claims = {
        project: stage.project.id,
        player: "ann",
        room: "guarded",
        issuedAtMs: nowMs,
        expiresAtMs: nowMs + hourMs
      }
      const valid = credential(secret, claims)
      const before = { issuedAtMs: nowMs - 2 * hourMs, expiresAtMs: nowMs - hourMs }
      const refused = [
        ["none", ""],
        ["no credential", "guarded"],
        ["a bad signature", `${valid.slice(0, -6)}AAAAAA`],
        ["a signature cut off", valid.slice(0, valid.lastIndexOf(".") + 1)],
        ["another project's secret", credential(otherSecret, claims)],
        ["expired", credential(secret, { ...claims, ...before })],
        ["another room", credential(secret, { ...claims, room: "elsewhere" })],
        ["another project", credential(otherSecret, { ...claims, project: other.project.id })]
      ] as const
      for (const [what, token] of refused) {
        const { close } = await refusedJoin(await stage.socket("guarded"), { token })
        trial.chosen("D-24", () =>
          oneOf(`the close for ${what}`, close, [closes.unauthenticated, closes.projectMismatch])
        )
      }
      const identity = await mintIdentity(trial, stage.project)
      const { close } = await refusedJoin(await stage.socket("guarded"), { token: identity })
      trial.chosen("D-25", () => same("an identity alone", close, closes.unauthenticated))
      same("nobody made a room", await stage.roomIds(), [])
      const client = await stage.client("guarded", { token: valid })
      holds("the player that it names", client.isOpen(), "closed")
      same("the player", client.welcomes()[0]?.playerId, "ann")
    }
  },
  {
    ids: ["project.id.mismatch-is-join-refusal"],
    title: "a schema that names another project is deployed; its clients' joins are refused",
    run: async (trial) => {
      // The fixture's schema names a project that is none of this service's.
      const stage = await roomStage(trial, "elsewhere")
      const token = await mintIdentity(trial, stage.project)
      const named = { ...stage.project, id: "p_0123456789abcdef" }
      const socket = await trial.socket({ project: named, room: "room" })
      const { close } = await refusedJoin(socket, { token })
      trial.chosen("D-24", () => same("the close", close, trial.codecs.room.closes.projectMismatch))
      isSuccess(await stage.ask(""))
    }
  }
]
