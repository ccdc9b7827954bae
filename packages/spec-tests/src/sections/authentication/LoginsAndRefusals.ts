import { isRefused, isRefusal, isSameAnswer, isSuccess } from "../../check/Answers.ts"
import { manyAskedMs } from "../../check/Check.ts"
import { same, holds, matches, Untestable } from "../../check/Expect.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Project, MintedKey } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import { notFound, unauthenticated } from "../Literals.ts"
import { lastUsedOf } from "../resources/KeyRows.ts"
import { managementRouteIds, callOf, noProject, keyRouteIds, loginRouteIds } from "../RouteCall.ts"
import { section, tierA, tierC, rowOf } from "../Section.ts"
import { held } from "../states/HeldTime.ts"
import { hourMs, minuteMs } from "../Units.ts"
import { closedToStrangers } from "./DocumentedRoutes.ts"
import { roomCalls } from "./RoomCalls.ts"
import { takeAsLong } from "./SameTime.ts"

const revokedKey = async (project: Project): Promise<string> => {
  const { keyId, secret } = await project.key("rooms:read", "rooms:write")
  const revoked: HttpAnswer = await project.ask(`/keys/${keyId}`, { method: "DELETE" })
  isSuccess(revoked)
  return secret
}

/** Like a secret, and none: from one of its own form to nothing at all. */
const unknownKeys = ({ secret }: Pick<MintedKey, "secret">): ReadonlyArray<string> => {
  const last = secret.endsWith("A") ? "B" : "A"
  const [prefix, tail] = [secret.slice(0, -43), secret.slice(-43)]
  const unknown = [
    `${secret.slice(0, -1)}${last}`,
    secret.slice(0, -1),
    `${secret}A`,
    `${prefix}${"A".repeat(43)}`,
    tail,
    prefix,
    `x${secret}`,
    "x"
  ]
  // A login may be shorter than a key's secret: then it has no prefix, and is its own end.
  return unknown.filter((text) => text !== secret && text !== "")
}

/** Lines 298 to 300 of the specification: Authentication, logins, and how a credential is refused. */
export const loginsAndRefusalsSection = section("Authentication", {
  "auth.login.required": tierA(
    298,
    "minting, listing, revoking, project PATCH and caps need a login credential",
    {
      decisions: ["D-23"],
      check: {
        title: "keys, settings and caps take a login, as a token or a session, and nothing else",
        timeoutMs: manyAskedMs,
        run: loginOnly
      }
    }
  ),
  "auth.login.other-account": tierA(
    298,
    "another account's login on this project answers as for a nonexistent project",
    {
      level: "decided",
      decisions: ["D-03"],
      error: { outcome: notFound },
      check: [
        {
          title: "a stranger's login gets the answer of a project that does not exist, to the byte",
          run: strangersLogin
        },
        {
          alone: true,
          title: "a stranger's login waits as long for a project as for one that does not exist",
          run: async (trial) => {
            const project = await trial.project()
            for (const id of ["route.keys.list", "route.rooms.list"] as const) {
              const ask = (to: string) => () =>
                trial.send({ ...callOf(trial, id, { project: to }), bearer: trial.login(1) })
              await takeAsLong(trial, id, [ask(project.id), ask(noProject(trial))])
            }
          }
        },
        closedToStrangers
      ]
    }
  ),
  "auth.login.obtaining": tierC(
    298,
    "how login credentials are obtained and how long they live is not given",
    {
      level: "decided",
      hooks: ["clock"],
      decisions: ["D-23"],
      is: { expiresInMs: 600_000, intervalMs: 5000, livesForMs: 90 * 24 * hourMs },
      check: [
        {
          title:
            "a device gets a login when a person allows it, which is listed, and ends when revoked",
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
              isRefusal(trial, late, notLoggedIn())
            })
          }
        },
        {
          alone: true,
          timeoutMs: 60_000,
          title: "a device's login lives 90 days from its last use",
          run: async (trial) => {
            const token = await deviceLogin(trial)
            const { livesForMs } = rowOf("statement", "auth.login.obtaining").is ?? {}
            const lifeMs = Number(livesForMs)
            await held(trial)
            const uses: Array<number> = [(await me(trial, token)).status]
            // When a login was used last may be known to the minute.
            for (const waitMs of [lifeMs - minuteMs, lifeMs - 1, lifeMs + 1]) {
              await trial.control.advance(waitMs)
              uses.push((await me(trial, token)).status)
            }
            const late = await lateDevice(trial)
            trial.chosen("D-23", () => holds("a device that came too late", late >= 400, late))
            trial.chosen("D-23", () =>
              same("uses just before 90 days, twice, and just after", uses, [200, 200, 200, 401])
            )
          }
        }
      ]
    }
  ),
  "auth.401.missing": tierA(299, "no key: 401 E_UNAUTHENTICATED", {
    alsoLines: [327],
    error: { outcome: unauthenticated },
    check: {
      title: "without a key every room route is 401",
      run: async (trial) => {
        const project = await trial.project()
        for (const call of roomCalls(trial, project.id)) {
          isRefusal(trial, await trial.send(call), rowOf("error", "auth.401.missing"))
        }
      }
    }
  }),
  "auth.401.unknown": tierA(299, "an unknown key: 401 E_UNAUTHENTICATED", {
    alsoLines: [327],
    literalsOf: "auth.401.missing",
    check: {
      title: "with a key that nobody minted every room route is 401",
      timeoutMs: manyAskedMs,
      run: async (trial) => {
        const project = await trial.project()
        for (const bearer of unknownKeys(await project.key("rooms:read", "rooms:write"))) {
          for (const call of roomCalls(trial, project.id)) {
            const answer = await trial.send({ ...call, bearer })
            isRefusal(trial, answer, rowOf("error", "auth.401.unknown"))
          }
        }
      }
    }
  }),
  "auth.401.revoked": tierA(299, "a revoked key: 401 E_UNAUTHENTICATED", {
    alsoLines: [327],
    literalsOf: "auth.401.missing",
    check: {
      title: "with a revoked key every room route is 401",
      run: async (trial) => {
        const project = await trial.project()
        const bearer = await revokedKey(project)
        for (const call of roomCalls(trial, project.id)) {
          const answer = await trial.send({ ...call, bearer })
          isRefusal(trial, answer, rowOf("error", "auth.401.revoked"))
        }
      }
    }
  }),
  "auth.401.identical-wording": tierA(299, "the three 401 messages are worded identically", {
    alsoLines: [327],
    error: { outcome: unauthenticated, identicalTo: "auth.401.missing" },
    check: [
      {
        alone: true,
        title: "an unknown key and a revoked key are refused in the same time",
        run: async (trial) => {
          const project = await trial.project()
          const { keyId, secret } = await project.key("rooms:read")
          await project.ask(`/keys/${keyId}`, { method: "DELETE" })
          const unknown = `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`
          const ask = (bearer: string) => () => project.ask("/rooms", { bearer })
          await takeAsLong(trial, "unknown and revoked", [ask(unknown), ask(secret)])
        }
      },
      {
        title: "no key, an unknown key and a revoked key are told the same, to the byte",
        timeoutMs: manyAskedMs,
        run: identicalWording
      }
    ]
  }),
  "auth.403.scope": tierA(299, "a valid key without the scope: 403 E_SCOPE naming the scope", {
    alsoLines: [328],
    error: { outcome: { status: 403, code: "E_SCOPE" }, names: "the scope" },
    provedBy: "state.key.post-active#model",
    check: {
      title: "a key without the scope is 403, and the message names the scope",
      run: async (trial) => {
        const project = await trial.project()
        const { secret: bearer } = await project.key("rooms:read")
        for (const id of keyRouteIds) {
          const { scope = "" } = rowOf("route", id)
          if (scope === "rooms:read") continue
          const answer = await trial.send({ ...callOf(trial, id, { project: project.id }), bearer })
          isRefusal(trial, answer, { ...rowOf("error", "auth.403.scope"), naming: scope })
        }
      }
    }
  }),
  "auth.key.lastUsed-shows-use": tierC(300, "lastUsed tells whether a key is still in use", {
    hooks: ["clock"],
    decisions: ["D-18"],
    is: { field: "lastUsed" },
    check: {
      title: "lastUsed moves with a later use, and with nothing else",
      alone: true,
      run: lastUsedMoves
    }
  }),
  "auth.key.no-recovery": tierA(300, "a lost secret cannot be recovered", {
    provedBy: "keys.secret.once"
  })
})

async function strangersLogin(trial: Trial): Promise<void> {
  const project = await trial.project()
  for (const id of managementRouteIds) {
    const ask = (to: string) =>
      trial.send({ ...callOf(trial, id, { project: to }), bearer: trial.login(1) })
    const [foreign, nothing] = [await ask(project.id), await ask(noProject(trial))]
    isRefused(foreign)
    trial.chosen("D-03", () => {
      isRefusal(trial, foreign, rowOf("error", "auth.login.other-account"))
      isSameAnswer(`${id} of a stranger's project`, foreign, nothing)
    })
  }
}

async function identicalWording(trial: Trial): Promise<void> {
  const project = await trial.project()
  const key = await project.key("rooms:read", "rooms:write")
  const revoked = await revokedKey(project)
  for (const call of roomCalls(trial, project.id)) {
    const missing = await trial.send(call)
    isRefusal(trial, missing, rowOf("error", "auth.401.identical-wording"))
    for (const bearer of [revoked, ...unknownKeys(key)]) {
      const answer = await trial.send({ ...call, bearer })
      same("the message", trial.codecs.error(answer), trial.codecs.error(missing))
      trial.chosen("D-03", () => isSameAnswer("the answer", answer, missing))
    }
    trial.chosen("D-03", () => same("the challenge", missing.headers["www-authenticate"], "Bearer"))
  }
}

async function loginOnly(trial: Trial): Promise<void> {
  const project = await trial.project()
  const key = await project.key("rooms:read", "rooms:write")
  const spare = await project.key("rooms:read")
  const started = await trial.send(trial.codecs.sessionCall(project.login))
  const session = trial.codecs.session(started)
  trial.chosen("D-23", () =>
    holds("a session starts with a login", session !== null, started.status)
  )
  const [cookie = ""] = started.headers["set-cookie"]?.split(";") ?? []
  const asks = (from: string) =>
    trial.send({
      method: "GET",
      path: `/v1/projects/${project.id}`,
      headers: { cookie, "sec-fetch-site": from }
    })
  for (const from of cookie === "" ? [] : ["same-site", "cross-site", "same-origin", "none"]) {
    const { status } = await asks(from)
    const isOwn = from === "same-origin" || from === "none"
    trial.chosen("C-360", () => same(`a session in a cookie, ${from}`, status, isOwn ? 200 : 401))
  }
  for (const id of loginRouteIds) {
    const parts = { project: project.id, projectName: project.name, keyId: spare.keyId }
    const call = callOf(trial, id, parts)
    const wrong = [key.secret, project.id, ...unknownKeys({ secret: project.login })]
    for (const request of [call, ...wrong.map((bearer) => ({ ...call, bearer }))]) {
      isRefusal(trial, await trial.send(request), rowOf("error", "error.http.E_UNAUTHENTICATED"))
    }
    if (session !== null) isSuccess(await trial.send({ ...call, bearer: session }))
    isSuccess(await trial.send({ ...call, bearer: project.login }))
  }
}

const notLoggedIn = () => rowOf("error", "error.http.E_UNAUTHENTICATED")

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

/** The status with which a person allows a device whose time is just over. */
const lateDevice = async (trial: Trial): Promise<number> => {
  const post = (path: string, body: unknown, bearer?: string) =>
    trial.send({ method: "POST", path, body, ...(bearer === undefined ? {} : { bearer }) })
  const { userCode } = Object((await post("/v1/login/device", { label: "late" })).json)
  const { expiresInMs } = rowOf("statement", "auth.login.obtaining").is ?? {}
  await trial.control.advance(Number(expiresInMs) + 1)
  return (await post("/v1/login/approve", { userCode, allow: true }, trial.login(0))).status
}

const me = (trial: Trial, bearer: string) =>
  trial.send({ method: "GET", path: "/v1/me/tokens", bearer })

async function lastUsedMoves(trial: Trial): Promise<void> {
  const project = await trial.project()
  const key = await project.key("rooms:read")
  const used = async (): Promise<string> => {
    isSuccess(await project.ask("/rooms", { bearer: key.secret }))
    return trial.until("lastUsed after a use", async () => {
      const at = await lastUsedOf(project, key.keyId)
      return typeof at === "string" ? at : null
    })
  }
  const first = await used()
  await trial.control.advance(10 * minuteMs)
  same("lastUsed while unused", await lastUsedOf(project, key.keyId), first)
  const body = { retention: "1h" }
  const refused = [
    await project.ask("/keys", { bearer: key.secret }),
    await project.ask("/rooms/any", { method: "PATCH", body, bearer: key.secret }),
    await trial.send({
      method: "GET",
      path: "/v1/projects/p_0000000000000000/rooms",
      bearer: key.secret
    })
  ]
  for (const answer of refused) isRefused(answer)
  const unmoved = await lastUsedOf(project, key.keyId)
  trial.chosen("D-18", () => same("lastUsed after refused calls", unmoved, first))
  const later = await trial.until("lastUsed moves", async () => {
    const at = await used()
    return at === first ? null : at
  })
  const apartMs = Date.parse(later) - Date.parse(first)
  holds("it moved by the time between the uses", apartMs >= 9 * minuteMs, apartMs)
  await held(trial)
  await trial.control.advance(Date.parse(later) + minuteMs - 1 - (await trial.control.nowMs()))
  const within = await used()
  trial.chosen("D-18", () => same("lastUsed within a minute of it", within, later))
  await trial.control.advance(1)
  const after = await trial.until("lastUsed moves a minute later", async () => {
    const at = await used()
    return at === later ? null : at
  })
  trial.chosen("D-18", () => same("by a minute", Date.parse(after) - Date.parse(later), minuteMs))
}
