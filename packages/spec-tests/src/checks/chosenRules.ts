import { createHmac } from "node:crypto"

import { isRefusal, isSuccess } from "../check/Answers.ts"
import { type Check, manyAskedMs } from "../check/Check.ts"
import { holds, matches, oneOf, same, Untestable } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { dayMs, minuteMs } from "../tables/Units.ts"
import { JoinRefused } from "../trial/RoomSocket.ts"
import { roomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { secretOf } from "./joins.ts"
import { refusedJoin } from "./roomLimits.ts"

const unauthenticated = () => rowOf("error", "error.http.E_UNAUTHENTICATED")

/** A login of the first account, taken as a device takes it. Source: D-23. */
const deviceLogin = async (trial: Trial): Promise<string> => {
  const post = (path: string, body: unknown, bearer?: string) =>
    trial.send({ method: "POST", path, body, ...(bearer === undefined ? {} : { bearer }) })
  const started = await post("/v1/login/device", { label: "conformance" })
  const { deviceCode, userCode, verificationUri, expiresIn, interval } = Object(started.json)
  const pending = await post("/v1/login/token", { deviceCode })
  const allowed = await post("/v1/login/approve", { userCode, allow: true }, trial.login(0))
  const taken = await post("/v1/login/token", { deviceCode })
  const again = await post("/v1/login/token", { deviceCode })
  const is = rowOf("statement", "auth.login.obtaining").is ?? {}
  const token: unknown = Object(taken.json)["token"]
  trial.chosen("D-23", () => {
    const spansMs = [Number(expiresIn) * 1000, Number(interval) * 1000]
    same("how long a device may wait", spansMs, [is["expiresInMs"], is["intervalMs"]])
    matches("where a person allows it", verificationUri, /^https?:\/\//)
    holds("nobody has allowed it yet", pending.status >= 400, pending.text)
    isSuccess(allowed)
    matches("the token", token, /^ct_[A-Za-z0-9_-]{43}$/)
    holds("it is given once", again.status >= 400, again.status)
  })
  if (typeof token !== "string") throw new Untestable(`no login: ${taken.status}`)
  return token
}

const me = (trial: Trial, bearer: string) =>
  trial.send({ method: "GET", path: "/v1/me/tokens", bearer })

const loginChecks: ReadonlyArray<Check> = [
  {
    ids: ["auth.login.obtaining"],
    title: "a device gets a login when a person allows it, which is listed, and ends when revoked",
    run: async (trial) => {
      const token = await deviceLogin(trial)
      const list = await me(trial, token)
      const rows: ReadonlyArray<unknown> = Array.isArray(list.json) ? list.json : []
      const own = rows.find((row) => Object(row)["current"] === true)
      const path = `/v1/me/tokens/${String(Object(own)["tokenId"])}`
      const revoked = await trial.send({ method: "DELETE", path, bearer: trial.login(0) })
      const late = await me(trial, token)
      trial.chosen("D-23", () => {
        same("the label of its row", Object(own)["label"], "conformance")
        isSuccess(revoked)
        isRefusal(trial, late, unauthenticated())
      })
    }
  },
  {
    ids: ["auth.login.obtaining"],
    alone: true,
    timeoutMs: 60_000,
    title: "a device's login lives 90 days from its last use",
    run: async (trial) => {
      const token = await deviceLogin(trial)
      const { livesForMs } = rowOf("statement", "auth.login.obtaining").is ?? {}
      const lifeMs = Number(livesForMs)
      const uses: Array<number> = [(await me(trial, token)).status]
      for (const waitMs of [lifeMs - dayMs, lifeMs - dayMs, lifeMs + dayMs]) {
        await trial.control.advance(waitMs)
        uses.push((await me(trial, token)).status)
      }
      trial.chosen("D-23", () =>
        same("uses 0, 89, 178 and 269 days later", uses, [200, 200, 200, 401])
      )
    }
  }
]

type Claims = Readonly<Record<string, unknown>>

/** A JWT as anybody makes one. */
const jwt = (secret: string, claims: Claims, algorithm = "HS256"): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")
  const signed = `${part({ alg: algorithm, typ: "JWT" })}.${part(claims)}`
  if (algorithm === "none") return `${signed}.`
  const hash = algorithm.replace("HS", "sha")
  return `${signed}.${createHmac(hash, secret).update(signed).digest("base64url")}`
}

const joinCredentialCheck: Check = {
  ids: ["auth.join-credential.format"],
  title: "a join credential is a JWT by HS256 for the audience `rooms`, of 24 hours at most",
  timeoutMs: manyAskedMs,
  run: async (trial) => {
    const stage = await roomStage(trial)
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
    const half = Number(is["leewayMs"]) / 2000
    const over = (seconds: number) => ({ iat: iat - 600, exp: iat - seconds })
    const taken: ReadonlyArray<readonly [string, string]> = [
      ["the plain one", jwt(secret, good)],
      ["24 hours", jwt(secret, { ...good, exp: iat + longest })],
      ["a player of 256 bytes", jwt(secret, { ...good, sub: "x".repeat(bytes) })],
      ["over by less than the leeway", jwt(secret, { ...good, iat: iat - 600, exp: iat - half })]
    ]
    const refused: ReadonlyArray<readonly [string, string]> = [
      ["HS512", jwt(secret, good, "HS512")],
      ["none", jwt(secret, good, "none")],
      ["another audience", jwt(secret, { ...good, aud: "identity" })],
      ["over 24 hours", jwt(secret, { ...good, exp: iat + longest + 1 })],
      ["a player of 257 bytes", jwt(secret, { ...good, sub: "x".repeat(bytes + 1) })],
      ["over by just more than the leeway", jwt(secret, { ...good, ...over(2 * half + 1) })],
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
  }
}

/** A second secret, and how long the first still opens rooms. */
const rotationCheck: Check = {
  ids: ["auth.join-credential.format"],
  needs: ["clock"],
  alone: true,
  timeoutMs: manyAskedMs,
  title: "a second join secret has to be asked for, and the first still signs for 24 hours",
  run: async (trial) => {
    const stage = await roomStage(trial)
    const first = await secretOf(trial, stage)
    const path = trial.codecs.joinSecretPath(stage.project.id)
    const ask = (body: object) =>
      trial.send({ method: "POST", path, bearer: stage.project.login, body })
    const again = await ask({})
    trial.chosen("D-25", () => holds("a second is refused", again.status === 409, again.status))
    const rotated = await ask({ rotate: true })
    const second = trial.codecs.joinSecret(rotated.json) ?? ""
    trial.chosen("D-25", () => holds("another secret", ![first, ""].includes(second), second))
    const { longestMs } = rowOf("statement", "auth.join-credential.format").is ?? {}
    const joins = async (secret: string): Promise<boolean> => {
      const issuedAtMs = await trial.control.nowMs()
      const claims = { project: stage.project.id, player: "ann", room: "*" }
      const expiresAtMs = issuedAtMs + 10 * minuteMs
      const token = trial.codecs.room.credential(secret, { ...claims, issuedAtMs, expiresAtMs })
      const joined = await stage.client("rotated", { token }).catch((cause: unknown) => cause)
      if (joined instanceof Error && !(joined instanceof JoinRefused)) throw joined
      return !(joined instanceof Error)
    }
    const at: Array<readonly [boolean, boolean]> = [[await joins(first), await joins(second)]]
    for (const waitMs of [Number(longestMs) - minuteMs, 2 * minuteMs]) {
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
  }
}

const managementChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.intro.mgmt-rate"],
    title: "management routes have no rate limit, and a new project has the allowances of D-39",
    timeoutMs: manyAskedMs,
    run: async (trial) => {
      const project = await trial.project()
      const { requests = 0, ...allowances } = rowOf("statement", "limits.intro.mgmt-rate").is ?? {}
      const statuses = new Map<number, number>()
      const asks = async (times: number): Promise<void> => {
        for (let time = 0; time < times; time++) {
          const { status } = await project.ask(time % 2 === 0 ? "/rooms" : "/keys")
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: 8 }, () => asks(Number(requests) / 8)))
      trial.chosen("D-39", () => same("answers by status", [...statuses], [[200, requests]]))
      const caps = await project.ask("/caps")
      const meters = Object(Object(caps.json)["meters"])
      trial.chosen("D-39", () => {
        for (const [meter, allowance] of Object.entries(allowances)) {
          same(`the allowance of ${meter}`, Object(meters[meter])["allowance"], allowance)
        }
      })
    }
  },
  {
    ids: ["queues.teams.limits"],
    title: "a queue has 2 to 16 teams of 1 to 32 players, 64 in all",
    run: async (trial) => {
      const project = await trial.project()
      const taken = async (teams: ReadonlyArray<object>): Promise<boolean> => {
        const body = { name: project.name, queues: { main: { teams } } }
        return (await project.ask("", { method: "PATCH", body })).status === 200
      }
      const many = (count: number, size: number) => Array.from({ length: count }, () => ({ size }))
      const is = rowOf("statement", "queues.teams.limits").is ?? {}
      const [least, most] = [Number(is["teamsLeast"]), Number(is["teamsMost"])]
      const [players, seats] = [Number(is["playersMost"]), Number(is["seats"])]
      const tried: ReadonlyArray<readonly [string, ReadonlyArray<object>, boolean]> = [
        ["two teams", many(least, 1), true],
        ["16 teams", many(most, seats / most), true],
        ["two teams of 32", many(2, players), true],
        ["one team", many(least - 1, 2), false],
        ["17 teams", many(most + 1, 1), false],
        ["a team of none", [{ size: 0 }, { size: 1 }], false],
        ["a team of 33", [{ size: players + 1 }, { size: 1 }], false],
        ["65 players", [...many(seats / players, players), { size: 1 }], false],
        ["17 teams by count", [{ size: 1, count: most + 1 }], false]
      ]
      for (const [what, teams, expected] of tried) {
        const got = await taken(teams)
        trial.chosen("D-33", () => same(`${what} are taken`, got, expected))
      }
    }
  },
  {
    ids: ["version.policy"],
    title: "nothing negotiates a version, and what goes is announced six months before",
    run: async (trial) => {
      const project = await trial.project()
      const plain = await project.ask("/rooms")
      isSuccess(plain)
      const { announcedMs } = rowOf("statement", "version.policy").is ?? {}
      for (const headers of [
        { accept: "application/vnd.service.v2+json" },
        { "accept-version": "2" },
        { "api-version": "2099-01-01" }
      ]) {
        const answer = await project.ask("/rooms", { headers })
        trial.chosen("D-47", () =>
          same("the answer", [answer.status, answer.text], [plain.status, plain.text])
        )
      }
      const { deprecation, sunset } = plain.headers
      trial.chosen("D-47", () => {
        if (sunset === undefined) return same("deprecation without an end", deprecation, undefined)
        const leftMs = Date.parse(sunset) - Date.parse(deprecation ?? sunset)
        holds("six months from its announcement", leftMs >= Number(announcedMs) - minuteMs, sunset)
      })
      const path = `/v2/projects/${project.id}/rooms`
      const { status } = await trial.send({ method: "GET", path, bearer: project.login })
      trial.chosen("D-47", () => same("another version", status, 404))
    }
  }
]

/** Rules that the specification leaves open, asked as our choices. */
export const chosenRuleChecks: ReadonlyArray<Check> = [
  ...loginChecks,
  joinCredentialCheck,
  rotationCheck,
  ...managementChecks
]
