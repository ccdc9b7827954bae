import { isRefusal, isSuccess } from "../../check/Answers.ts"
import { brought, holds, matches, same } from "../../check/Expect.ts"
import type { OpenAsked, OpenEndpoint } from "../../codec/OpenCalls.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import { assertionsOf } from "../../trial/OpenStage.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import { roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Refused } from "../Row.ts"
import { rowOf } from "../Section.ts"
import { minuteMs, secondMs } from "../Units.ts"
import { claimsOf } from "./CommandsProbes.ts"

const nothing = { identity: "", board: "", room: "", assertion: "" }

const ask = (
  trial: Trial,
  endpoint: OpenEndpoint,
  asked: Pick<OpenAsked, "project"> & Partial<OpenAsked>
): Promise<HttpAnswer> => trial.send(trial.codecs.openCall(endpoint, { ...nothing, ...asked }))

const unauthenticated: Refused = { status: 401, code: "E_UNAUTHENTICATED" }
const invalidAssertion: Refused = { status: 401, code: "E_ASSERTION_INVALID" }
const noLinkCode: Refused = { status: 404, code: "E_LINK_CODE" }

const refused = (trial: Trial, answer: HttpAnswer, outcome: Refused): void => {
  holds("a refusal", answer.status >= 400 && answer.status < 500, answer.status)
  trial.chosen("D-28", () =>
    same(
      "status and code",
      [answer.status, trial.codecs.error(answer)?.code],
      [outcome.status, outcome.code]
    )
  )
}

export async function assertionExchange(trial: Trial): Promise<void> {
  const [project, foreign] = [await trial.project(), await trial.project(1)]
  const assertion = await assertionsOf(trial, project)
  const exchange = (of: string, text: string) =>
    ask(trial, "identity.assertion", { project: of, assertion: text })
  const playerOf = async (player: string) => {
    const answer = await exchange(project.id, assertion(player))
    isSuccess(answer)
    return brought("an identity", answer, trial.codecs.identity(answer.json))
  }
  const ann = await playerOf("ann")
  same("the same subject again", (await playerOf("ann")).playerId, ann.playerId)
  holds("another subject is another player", (await playerOf("bob")).playerId !== ann.playerId, ann)
  trial.chosen("D-25", () => same("asserted", claimsOf(partOf(ann.token))["asserted"], true))
  const [head = "", body = "", signature = ""] = assertion("ann").split(".")
  for (const text of [
    "not.a.token",
    "",
    `${head}.${body}.`,
    `${head}.${partOf(assertion("bob"))}.${signature}`,
    ann.token
  ]) {
    refused(trial, await exchange(project.id, text), invalidAssertion)
  }
  refused(trial, await exchange(foreign.id, assertion("ann")), invalidAssertion)
}

const partOf = (token: string): string => token.split(".")[1] ?? ""

export async function linkCodeMint(trial: Trial): Promise<void> {
  const [project, foreign] = [await trial.project(), await trial.project(1)]
  const identity = await mintIdentity(trial, project)
  const nowMs = await trial.control.nowMs()
  const answer = await ask(trial, "account.linkCode", { project: project.id, identity })
  isSuccess(answer)
  const { code, expiresAt } = Object(answer.json)
  trial.chosen("D-28", () => {
    matches("the code", code, /^[0-9A-HJKMNP-TV-Z]{8}$/)
    const lifeMs = Date.parse(String(expiresAt)) - nowMs
    holds("ten minutes", Math.abs(lifeMs - 10 * minuteMs) < 30 * secondMs, expiresAt)
  })
  for (const bearer of ["", "unknown", project.login, await mintIdentity(trial, foreign)]) {
    const other = await ask(trial, "account.linkCode", { project: project.id, identity: bearer })
    refused(trial, other, unauthenticated)
  }
}

const codeOf = async (trial: Trial, project: string, identity: string): Promise<string> => {
  const answer = await ask(trial, "account.linkCode", { project, identity })
  isSuccess(answer)
  return String(Object(answer.json)["code"])
}

/** Redeems a code of one identity as another. */
const link = async (trial: Trial, project: string, [from, to]: readonly [string, string]) => {
  const code = await codeOf(trial, project, from)
  return ask(trial, "account.link", { project, identity: to, code })
}

const accountIn = (answer: HttpAnswer) => {
  isSuccess(answer)
  const { accountId, devices } = Object(answer.json)
  const ids: ReadonlyArray<string> = (Array.isArray(devices) ? devices : []).map((device) =>
    String(Object(device)["deviceId"])
  )
  return { accountId, ids }
}

export async function accountLink(trial: Trial): Promise<void> {
  const stage = await roomStage(trial)
  const project = stage.project.id
  const [ann, phone] = [
    await mintIdentity(trial, stage.project),
    await mintIdentity(trial, stage.project)
  ]
  const before = accountIn(await ask(trial, "account.manage", { project, identity: ann }))
  const linked = accountIn(await link(trial, project, [ann, phone]))
  same("the account", linked.accountId, before.accountId)
  same("its devices", linked.ids.length, 2)
  const players = await Promise.all(
    [ann, phone].map(async (token) => {
      const client = await stage.client("shared", { token })
      return client.welcomes()[0]?.playerId
    })
  )
  same("the player of both devices", new Set(players).size, 1)
  same("that player", players[0], before.accountId)
  const unknown = await ask(trial, "account.link", { project, identity: phone, code: "00000000" })
  refused(trial, unknown, noLinkCode)
}

export async function accountManage(trial: Trial): Promise<void> {
  const project = await trial.project()
  const manage = (method: "GET" | "DELETE", path: string, bearer: string) =>
    trial.send({ method, path: `/v1/account${path}?project=${project.id}`, bearer })
  const mint = () => mintIdentity(trial, project)
  const [ann, phone, tablet] = [await mint(), await mint(), await mint()]
  accountIn(await link(trial, project.id, [ann, phone]))
  const { ids } = accountIn(await link(trial, project.id, [ann, tablet]))
  const devices = await manage("GET", "/devices", ann)
  isSuccess(devices)
  same("the devices", devices.json instanceof Array && devices.json.length, 3)
  const mine = (await manage("GET", "/devices", phone)).json
  const phones = Array.isArray(mine) ? mine.find((each) => Object(each)["current"] === true) : null
  const deviceId = String(Object(phones)["deviceId"])
  holds("the phone is one of them", ids.includes(deviceId), deviceId)
  isSuccess(await manage("DELETE", `/devices/${deviceId}`, ann))
  isRefusal(trial, await manage("GET", "", phone), rowOf("error", "error.http.E_UNAUTHENTICATED"))
  same("the rest", accountIn(await manage("GET", "", ann)).ids.length, 2)
  isSuccess(await manage("DELETE", "", tablet))
  for (const bearer of [ann, tablet]) {
    isRefusal(
      trial,
      await manage("GET", "", bearer),
      rowOf("error", "error.http.E_UNAUTHENTICATED")
    )
  }
}

export async function tenDevices(trial: Trial): Promise<void> {
  const project = await trial.project()
  const mint = () => mintIdentity(trial, project)
  const ann = await mint()
  const { accept } = rowOf("boundary", "account.devices.max")
  let devices = 0
  while (devices < accept) {
    const { ids } = accountIn(await link(trial, project.id, [ann, await mint()]))
    devices = ids.length
  }
  same("devices of the account", devices, accept)
  const over = await link(trial, project.id, [ann, await mint()])
  trial.chosen("D-28", () =>
    same(
      "the device past them",
      [over.status, trial.codecs.error(over)?.code],
      [409, "E_DEVICE_LIMIT"]
    )
  )
}

export async function linkCodeOnce(trial: Trial): Promise<void> {
  const project = (await trial.project()).id
  const mint = async () => mintIdentity(trial, { id: project })
  const [ann, phone, tablet] = [await mint(), await mint(), await mint()]
  const code = await codeOf(trial, project, ann)
  accountIn(await ask(trial, "account.link", { project, identity: phone, code }))
  refused(trial, await ask(trial, "account.link", { project, identity: tablet, code }), noLinkCode)
}

export async function linkCodeLifetime(trial: Trial): Promise<void> {
  const project = (await trial.project()).id
  const mint = async () => mintIdentity(trial, { id: project })
  const [ann, phone, tablet] = [await mint(), await mint(), await mint()]
  const { forMs } = rowOf("keep", "account.link-code.lifetime")
  if (forMs === "forever") throw new Error("the row has no time")
  const first = await codeOf(trial, project, ann)
  await trial.control.advance(forMs - secondMs)
  accountIn(await ask(trial, "account.link", { project, identity: phone, code: first }))
  const second = await codeOf(trial, project, ann)
  await trial.control.advance(forMs + secondMs)
  const late = await ask(trial, "account.link", { project, identity: tablet, code: second })
  refused(trial, late, noLinkCode)
}

export async function playersPayloads(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { is = {} } = rowOf("statement", "open.payloads")
  const assertion = (await assertionsOf(trial, project))("ann")
  const asked = { project: project.id, assertion, identity: await mintIdentity(trial, project) }
  const fieldsOf = (json: unknown) => Object.keys(Object(json)).toSorted()
  const has = (answer: HttpAnswer, fields: unknown): void => {
    isSuccess(answer)
    trial.chosen("D-28", () => same(answer.request.path, fieldsOf(answer.json), fields))
  }
  has(await ask(trial, "identity.assertion", asked), is["identity"])
  const linkCode = await ask(trial, "account.linkCode", asked)
  has(linkCode, is["linkCode"])
  const code = String(Object(linkCode.json)["code"])
  const phone = await mintIdentity(trial, project)
  has(await ask(trial, "account.link", { ...asked, identity: phone, code }), is["account"])
  has(await ask(trial, "account.manage", asked), is["account"])
  has(await ask(trial, "presence.read", asked), is["presence"])
}

/** Open endpoints of players, as a page of an origin asks them. */
export const playersFrom = async (
  trial: Trial,
  origin: string,
  readable: (answer: HttpAnswer) => void
): Promise<void> => {
  const project = await trial.project()
  const assertion = (await assertionsOf(trial, project))("ann")
  const [identity, phone] = [await mintIdentity(trial, project), await mintIdentity(trial, project)]
  const asked = { ...nothing, project: project.id, assertion, identity }
  const linking = { identity: phone, code: await codeOf(trial, project.id, identity) }
  const endpoints = [
    "identity.assertion",
    "account.link",
    "account.linkCode",
    "account.manage",
    "presence.read"
  ] as const
  for (const endpoint of endpoints) {
    const more = endpoint === "account.link" ? linking : {}
    const call = trial.codecs.openCall(endpoint, { ...asked, ...more })
    const preflight = await trial.send({
      method: "OPTIONS",
      path: call.path,
      headers: {
        origin,
        "access-control-request-method": call.method,
        "access-control-request-headers": "authorization,content-type"
      }
    })
    readable(preflight)
    readable(await trial.send({ ...call, headers: { origin } }))
  }
}
