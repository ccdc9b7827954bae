import { createHmac } from "node:crypto"

import { manyAskedMs } from "../../check/Check.ts"
import { matches, holds, same, oneOf } from "../../check/Expect.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { keepChecks } from "../../families/Keep.ts"
import { AudienceStage } from "../../trial/AudienceStage.ts"
import { board } from "../../trial/RelayStage.ts"
import { JoinRefused } from "../../trial/RoomSocket.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import { roomStage, withRooms } from "../../trial/RoomStage.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { audienceRow, clientRow, toolRow } from "../RowKinds.ts"
import { section, tierA, tierC, rowOf } from "../Section.ts"
import { held } from "../states/HeldTime.ts"
import { hourMs, minuteMs } from "../Units.ts"
import { secretOf } from "./JoinSecret.ts"
import { keptOut } from "./KeptOut.ts"
import { joinedAt } from "./RouterOnly.ts"

/** Lines 301 to 303 of the specification: Authentication, who joins a room. */
export const joinCredentialsSection = section("Authentication", {
  "auth.jwt-secret.once": toolRow(
    301,
    "the project signing secret is printed once and is never in the project file",
    { decisions: ["D-25"], provedBy: "cli.keys.jwt-secret" }
  ),
  "auth.join-credential.format": clientRow(301, "the join-credential format is not given", {
    level: "decided",
    decisions: ["D-25"],
    is: {
      algorithm: "HS256",
      audience: "rooms",
      longestMs: 24 * hourMs,
      leewayMs: 60_000,
      playerBytes: 256
    },
    check: [
      {
        title: "a join credential is a JWT by HS256 for the audience `rooms`, of 24 hours at most",
        timeoutMs: manyAskedMs,
        run: withRooms(async (stage, trial) => {
          const secret = await secretOf(trial, stage)
          const is = rowOf("statement", "auth.join-credential.format").is ?? {}
          const [longest, bytes] = [Number(is["longestMs"]) / 1000, Number(is["playerBytes"])]
          const iat = Math.floor((await trial.control.nowMs()) / 1000)
          const good = {
            iss: stage.project.id,
            aud: is["audience"],
            sub: "ann",
            room: "*",
            iat,
            exp: iat + 600
          }
          const leeway = Number(is["leewayMs"]) / 1000
          const over = (seconds: number) => ({ iat: iat - 600, exp: iat - seconds })
          const taken: ReadonlyArray<readonly [string, string]> = [
            ["the plain one", jwt(secret, good)],
            ["24 hours", jwt(secret, { ...good, exp: iat + longest })],
            ["a player of 256 bytes", jwt(secret, { ...good, sub: "x".repeat(bytes) })],
            // As late as it can be while the clock runs.
            ["over by less than the leeway", jwt(secret, { ...good, ...over(leeway - 8) })]
          ]
          const refused: ReadonlyArray<readonly [string, string]> = [
            ["HS512", jwt(secret, good, "HS512")],
            ["none", jwt(secret, good, "none")],
            ["another audience", jwt(secret, { ...good, aud: "identity" })],
            ["over 24 hours", jwt(secret, { ...good, exp: iat + longest + 1 })],
            ["a player of 257 bytes", jwt(secret, { ...good, sub: "x".repeat(bytes + 1) })],
            ["over by just more than the leeway", jwt(secret, { ...good, ...over(leeway + 1) })],
            ["no player", jwt(secret, { ...good, sub: undefined })],
            ["no end", jwt(secret, { ...good, exp: undefined })],
            ["no audience", jwt(secret, { ...good, aud: undefined })]
          ]
          trial.chosen("D-25", () => matches("the secret", secret, /^js_[A-Za-z0-9_-]{43}$/))
          for (const [what, token] of taken) {
            const joined = await stage.client("jwt", { token }).catch((cause: unknown) => cause)
            trial.chosen("D-25", () => holds(`${what} joins`, !(joined instanceof Error), joined))
          }
          for (const [what, token] of refused) {
            const { close } = await refusedJoin(await stage.socket("jwt"), { token })
            const expected = trial.codecs.room.closes.unauthenticated
            trial.chosen("D-25", () => same(`the close for ${what}`, close, expected))
          }
          const { unauthenticated: unknown, projectMismatch } = trial.codecs.room.closes
          for (const iss of ["p_0000000000000000", undefined]) {
            const token = jwt(secret, { ...good, iss })
            const { close } = await refusedJoin(await stage.socket("jwt"), { token })
            trial.chosen("D-24", () =>
              oneOf(`the close for issuer ${iss}`, close, [unknown, projectMismatch])
            )
          }
        })
      },
      {
        needs: ["clock"],
        alone: true,
        timeoutMs: manyAskedMs,
        title: "a second join secret has to be asked for, and the first still signs for 24 hours",
        run: withRooms(async (stage, trial) => {
          const first = await secretOf(trial, stage)
          await held(trial)
          const path = trial.codecs.joinSecretPath(stage.project.id)
          const ask = (body: object) =>
            trial.send({ method: "POST", path, bearer: stage.project.login, body })
          const again = await ask({})
          trial.chosen("D-25", () =>
            holds("a second is refused", again.status === 409, again.status)
          )
          const rotated = await ask({ rotate: true })
          const second = trial.codecs.joinSecret(rotated.json) ?? ""
          trial.chosen("D-25", () => holds("another secret", ![first, ""].includes(second), second))
          const { longestMs } = rowOf("statement", "auth.join-credential.format").is ?? {}
          const joins = async (secret: string): Promise<boolean> => {
            const issuedAtMs = await trial.control.nowMs()
            const claims = { project: stage.project.id, player: "ann", room: "*" }
            const expiresAtMs = issuedAtMs + 10 * minuteMs
            const token = trial.codecs.room.credential(secret, {
              ...claims,
              issuedAtMs,
              expiresAtMs
            })
            const joined = await stage.client("rotated", { token }).catch((cause: unknown) => cause)
            if (joined instanceof Error && !(joined instanceof JoinRefused)) throw joined
            return !(joined instanceof Error)
          }
          const at: Array<readonly [boolean, boolean]> = [[await joins(first), await joins(second)]]
          for (const waitMs of [Number(longestMs) - 1, 2]) {
            await trial.control.advance(waitMs)
            at.push([await joins(first), await joins(second)])
          }
          trial.chosen("D-25", () =>
            same("the first and the second, at once, before and after 24 hours", at, [
              [true, true],
              [true, true],
              [false, true]
            ])
          )
        })
      }
    ]
  }),
  "auth.join.credential-protects": clientRow(301, "a room accepts only a valid join credential", {
    decisions: ["D-25"],
    check: {
      title: "a room accepts a valid join credential, and nothing else",
      run: withRooms(async (stage, trial) => {
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
      })
    }
  }),
  "auth.game-server.router-only": tierC(
    301,
    "game servers accept room connections from the regional router only",
    {
      probe: ["ws"],
      hooks: ["fixture", "listeners"],
      decisions: ["D-24"],
      check: {
        title: "no address of the service but the router's lets a client into a room",
        timeoutMs: manyAskedMs,
        run: withRooms(async (stage, trial) => {
          const listeners = await trial.control.listeners()
          const others = listeners.filter(({ router }) => !router)
          holds("the router's own address", others.length < listeners.length, "not listed")
          holds("further addresses", others.length > 0, "none to ask")
          // The very hello that is refused elsewhere opens the room here.
          await stage.client("guarded")
          for (const { address } of others) {
            same(`a client at ${address}`, await joinedAt(trial, stage, address), null)
          }
          same("the rooms", await stage.roomIds(), ["guarded"])
        })
      }
    }
  ),
  "auth.open.anyone-with-id": tierA(
    302,
    "open endpoints are callable by anyone with the project id",
    {
      provedBy: [
        "audienceRole.enables-viewers",
        "route.account.link",
        "route.account.linkCode",
        "route.account.manage",
        "route.identity.assertion",
        "route.identity.mint",
        "leaderboard.top-and-around",
        "route.match.join",
        "route.match.party",
        "route.match.status",
        "route.presence.read"
      ]
    }
  ),
  "auth.audience.scope": audienceRow(
    303,
    "an audience credential works only for its project and room",
    {
      check: {
        title: "an audience credential opens its room in its project, and nothing else",
        timeoutMs: 60_000,
        run: async (trial) => {
          const [audience, other] = [await AudienceStage.of(trial), await AudienceStage.of(trial)]
          await audience.stage.client("seen", board)
          await audience.stage.client("unseen", board)
          await other.stage.client("seen", board)
          const token = await audience.credential("seen")
          await keptOut(trial, audience, { room: "unseen", token, what: "another room" })
          await keptOut(trial, audience, {
            room: "elsewhere",
            token,
            what: "a room that is not there"
          })
          await keptOut(trial, other, { room: "seen", token, what: "another project" })
          const damaged = `${token.slice(0, -6)}AAAAAA`
          await keptOut(trial, audience, { room: "seen", token: damaged, what: "a bad signature" })
          const path = `/v1/projects/${audience.stage.project.id}/rooms`
          const answer = await trial.send({ method: "GET", path, bearer: token })
          same("the management API", answer.status, 401)
          await audience.viewer("seen", token)
        }
      }
    }
  ),
  "auth.audience.lifetime-3h": tierC(303, "an audience credential lives 3 hours", {
    probe: ["ws"],
    hooks: ["clock", "fixture"],
    features: ["audience", "relay"],
    alsoLines: [405],
    keep: { datum: "an audience credential", forMs: 3 * hourMs, becomes: "gone" },
    check: {
      alone: true,
      title: "an audience credential lives three hours; who is in by then stays",
      timeoutMs: 60_000,
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
  })
})

type Claims = Readonly<Record<string, unknown>>

/** A JWT as anybody makes one. */
const jwt = (secret: string, claims: Claims, algorithm = "HS256"): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")
  const signed = `${part({ alg: algorithm, typ: "JWT" })}.${part(claims)}`
  if (algorithm === "none") return `${signed}.`
  const hash = algorithm.replace("HS", "sha")
  return `${signed}.${createHmac(hash, secret).update(signed).digest("base64url")}`
}
