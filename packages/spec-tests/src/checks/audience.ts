import { isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, oneOf, same } from "../check/Expect.ts"
import { onHeldClock } from "../families/HeldClock.ts"
import { keepChecks } from "../families/Keep.ts"
import { rowOf } from "../tables/Tables.ts"
import { hourMs } from "../tables/Units.ts"
import { AudienceStage, setAudienceRole, viewerRole } from "../trial/AudienceStage.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import { board, settled, stateBytesOf } from "../trial/RelayStage.ts"
import { JoinRefused } from "../trial/RoomSocket.ts"
import { mintIdentity } from "../trial/RoomSockets.ts"
import { CallRefused } from "../trial/SocketError.ts"
import type { Trial } from "../trial/Trial.ts"
import { secretOf } from "./joins.ts"
import { refusedJoin } from "./roomLimits.ts"

const timeoutMs = 60_000

/** Somebody who is refused in that room with that credential, as a viewer or as anybody else. */
const keptOut = async (
  trial: Trial,
  audience: AudienceStage,
  { room, token, what }: { readonly room: string; readonly token: string; readonly what: string }
): Promise<void> => {
  const refusal = await refusedJoin(await audience.stage.socket(room), { token, type: null })
  const { closes } = trial.codecs.room
  trial.chosen("D-24", () =>
    oneOf(`the close for ${what}`, refusal.close, [closes.unauthenticated, closes.projectMismatch])
  )
}

const isDisabled = (trial: Trial, answer: HttpAnswer): void => {
  holds("the mint is refused", answer.status >= 400 && answer.status < 500, answer.status)
  trial.chosen("D-29", () => {
    const got = [answer.status, trial.codecs.error(answer)?.code]
    same("status and code", got, [403, "E_AUDIENCE_DISABLED"])
  })
}

/** What the viewer sees and may not do, in a room with a player. */
const watches = async (trial: Trial, audience: AudienceStage, room: string): Promise<void> => {
  const { stage } = audience
  const player = await stage.client(room, board)
  const mark = { op: "add", collection: "marks", fields: { n: 1 } } as const
  await player.relay.write(mark)
  const viewer = await audience.viewer(room)
  const [welcome] = viewer.welcomes()
  trial.chosen("D-24", () => same("the welcome says that it watches", welcome?.audience, true))
  same("the state that it sees", welcome?.stateBytes, await stateBytesOf(stage, room))
  player.relay.send(null, "to all")
  await settled(player, viewer)
  const heard = viewer.relay.sent().map(({ data }) => data)
  same("what it hears", heard, ["to all"])
  const before = await stateBytesOf(stage, room)
  const refusal = await viewer.relay.write(mark).then(
    () => "taken",
    (cause: unknown) => (cause instanceof CallRefused ? cause.code : String(cause))
  )
  trial.chosen("D-29", () => same("what it writes", refusal, "E_WRITE_REJECTED"))
  same("the state after it", await stateBytesOf(stage, room), before)
  holds("it stays, and the player", viewer.isOpen() && player.isOpen(), "closed")
}

const roleChecks: ReadonlyArray<Check> = [
  {
    ids: ["audienceRole.enables-viewers", "route.audience.mint", "auth.open.anyone-with-id"],
    title:
      "a project that has a role for them lets viewers watch its relay rooms, and no other does",
    timeoutMs,
    run: async (trial) => {
      const audience = await AudienceStage.of(trial, null)
      const { stage } = audience
      await stage.client("seen", board)
      isDisabled(trial, await audience.asked("seen"))
      await setAudienceRole(trial, stage.project, viewerRole)
      const minted = await audience.asked("seen")
      isSuccess(minted)
      trial.chosen("D-01", () =>
        same("the status", minted.status, rowOf("route", "route.audience.mint").success)
      )
      await watches(trial, audience, "seen")
      const unknown = await audience.asked("nobody-was-here")
      trial.chosen("D-29", () => same("an unknown room", unknown.status, 404))
      const rooms = await stage.roomIds()
      same("rooms that were made by asking", rooms, ["seen"])
      const token = trial.codecs.audience(minted.json) ?? ""
      await setAudienceRole(trial, stage.project, null)
      isDisabled(trial, await audience.asked("seen"))
      await keptOut(trial, audience, { room: "seen", token, what: "a role that is off" })
    }
  },
  {
    ids: ["audience.needs-room-scoped-credential"],
    title: "only a credential for that very room makes a viewer; one for any room makes none",
    timeoutMs,
    run: async (trial) => {
      const audience = await AudienceStage.of(trial)
      const { stage } = audience
      const player = await stage.client("seen", board)
      await stage.client("other", board)
      const identity = await mintIdentity(trial, stage.project)
      const socket = await audience.stage.socket("seen")
      const plays = await socket.join({ token: identity, type: null })
      same("whether an identity watches", plays.audience, false)
      const secret = await secretOf(trial, stage)
      const nowMs = await trial.control.nowMs()
      const signed = (claims: { readonly role?: string; readonly room?: string }): string =>
        trial.codecs.room.credential(secret, {
          project: stage.project.id,
          player: "eve",
          ...claims,
          issuedAtMs: nowMs,
          expiresAtMs: nowMs + hourMs
        })
      const refused = [
        ["any room", { role: viewerRole }],
        ["every room", { role: viewerRole, room: "*" }],
        ["another room", { role: viewerRole, room: "other" }],
        ["a role that nobody has", { role: "ghost", room: "seen" }]
      ] as const
      for (const [what, claims] of refused) {
        await keptOut(trial, audience, { room: "seen", token: signed(claims), what })
      }
      const viewer = await audience.viewer("seen", signed({ role: viewerRole, room: "seen" }))
      trial.chosen("D-25", () => same("one for it", viewer.welcomes()[0]?.audience, true))
      holds("the player stays", player.isOpen(), "closed")
    }
  }
]

const credentialChecks: ReadonlyArray<Check> = [
  {
    ids: ["auth.audience.scope"],
    title: "an audience credential opens its room in its project, and nothing else",
    timeoutMs,
    run: async (trial) => {
      const [audience, other] = [await AudienceStage.of(trial), await AudienceStage.of(trial)]
      await audience.stage.client("seen", board)
      await audience.stage.client("unseen", board)
      await other.stage.client("seen", board)
      const token = await audience.credential("seen")
      await keptOut(trial, audience, { room: "unseen", token, what: "another room" })
      await keptOut(trial, audience, { room: "elsewhere", token, what: "a room that is not there" })
      await keptOut(trial, other, { room: "seen", token, what: "another project" })
      const damaged = `${token.slice(0, -6)}AAAAAA`
      await keptOut(trial, audience, { room: "seen", token: damaged, what: "a bad signature" })
      const path = `/v1/projects/${audience.stage.project.id}/rooms`
      const answer = await trial.send({ method: "GET", path, bearer: token })
      same("the management API", answer.status, 401)
      await audience.viewer("seen", token)
    }
  },
  {
    ids: ["auth.audience.lifetime-3h"],
    alone: true,
    title: "an audience credential lives three hours; who is in by then stays",
    timeoutMs,
    run: async (trial) => {
      const row = rowOf("keep", "auth.audience.lifetime-3h")
      const audience = await AudienceStage.of(trial)
      await audience.stage.client("seen", board)
      const early = await audience.viewer("seen")
      await onHeldClock(trial, hourMs, () =>
        keepChecks(trial, row, {
          put: () => audience.credential("seen"),
          isKept: async (token) => {
            const socket = await audience.stage.socket("seen")
            const joined = await audience.welcomed(socket, token).catch((cause: unknown) => {
              if (cause instanceof JoinRefused) return null
              throw cause
            })
            if (joined !== null) await socket.leave()
            return joined !== null
          }
        })
      )
      trial.chosen("D-29", () => holds("who is in stays", early.isOpen(), "closed"))
      await audience.viewer("seen")
    }
  }
]

/** Viewers of relay rooms: who may be one, and for how long. */
export const audienceChecks: ReadonlyArray<Check> = [...roleChecks, ...credentialChecks]
