import { createHash } from "node:crypto"

import { isSuccess, isRefused, isRefusal } from "../../check/Answers.ts"
import { holds, same, matches } from "../../check/Expect.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import { shapeFault } from "../EveryExchange.ts"
import { rowOf } from "../Section.ts"
import { minuteMs } from "../Units.ts"
import { lastUsedOf, listOf, rowOfKey } from "./KeyRows.ts"

export const keysRoute = /^\/v1\/projects\/[^/?]+\/keys(?:\?|$)/

export const secretChars = 43

export const isoMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export const keyRowFault = (value: unknown) => shapeFault("keys.row.lastUsed")(value)

/** Secrets of API keys that answers have shown, with their digests as text. */
export const shown = new Map<string, ReadonlyArray<string>>()

export const labelsOf = async (project: Project): Promise<ReadonlyArray<unknown>> =>
  listOf(await project.ask("/keys")).map((row) => Object(row)["label"])

export const tailChars = 43

export const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export async function secretOnce(trial: Trial): Promise<void> {
  const project = await trial.project()
  const mintAnswer = await mint(project, { scopes: ["rooms:read"], label: "one" })
  const key = trial.codecs.minted(mintAnswer.json)
  const shows = key !== null && mintAnswer.text.includes(key.secret)
  holds("the mint shows the secret", shows, mintAnswer.status)
  if (key === null) return
  const again = { scopes: ["rooms:read"], label: "one" }
  const named = await project.ask(`/rooms?${key.secret}=1`, { bearer: key.secret })
  const answers = [
    await mint(project, again),
    await project.ask("/keys"),
    await project.ask(`/keys/${key.keyId}`),
    await project.ask("/keys?secret=true"),
    await project.ask(""),
    await project.ask("/rooms", { bearer: key.secret }),
    await project.ask("/keys", { bearer: key.secret }),
    await project.ask(`/rooms/${key.secret}`, { bearer: key.secret }),
    await project.ask(`/keys/${key.keyId}`, { method: "DELETE" }),
    await project.ask(`/keys/${key.keyId}`, { method: "DELETE" }),
    await project.ask("/rooms", { bearer: key.secret }),
    await project.ask("/keys")
  ]
  const hides = ({ request, text }: HttpAnswer): void => {
    const shown = text.includes(key.secret.slice(-tailChars))
    holds(`${request.method} ${request.path} hides the secret`, !shown, text)
  }
  for (const answer of answers) hides(answer)
  // A refusal names the parameter: that it does not name this one is our choice.
  trial.chosen("D-02", () => hides(named))
}

export async function mintedScopes(trial: Trial): Promise<void> {
  const project = await trial.project()
  const known = rowOf("shape", "keys.mint.scopes").is?.["scopes"]
  const all = Array.isArray(known) ? known.map(String) : []
  for (const scopes of [...all.map((scope) => [scope]), all]) {
    isSuccess(await mint(project, { scopes, label: "good" }))
  }
  const malformed: ReadonlyArray<unknown> = [all[0], null, 1, true, {}, { 0: all[0] }, [1], [null]]
  const unknown = [
    ["rooms:delete"],
    ["rooms"],
    ["*"],
    ["rooms:read "],
    ["ROOMS:READ"],
    [...all, "x"]
  ]
  for (const scopes of [...malformed, ...unknown]) {
    const answer = await mint(project, { scopes, label: "bad" })
    isRefused(answer)
    trial.chosen("D-02", () => isRefusal(trial, answer, badBody("scopes")))
  }
  const chosen = [
    await mint(project, { scopes: [], label: "doubtful" }),
    await mint(project, { label: "doubtful" })
  ]
  chosen.push(await mint(project, { scopes: [all[0], all[0]], label: "doubtful" }))
  for (const answer of chosen) {
    trial.chosen("D-17", () => isRefusal(trial, answer, badBody("scopes")))
  }
  const labels = await labelsOf(project)
  holds("no refused mint made a key", !labels.includes("bad"), labels)
  trial.chosen("D-17", () =>
    holds("no doubtful mint made a key", !labels.includes("doubtful"), labels)
  )
}

export async function mintedLabel(trial: Trial): Promise<void> {
  const project = await trial.project()
  const scopes = ["rooms:read"]
  isSuccess(await mint(project, { scopes, label: "a" }))
  for (const label of [1, true, null, {}, ["a"]]) {
    const answer = await mint(project, { scopes, label })
    isRefused(answer)
    trial.chosen("D-02", () => isRefusal(trial, answer, badBody("label")))
  }
  const missing = await mint(project, { scopes })
  isRefused(missing)
  trial.chosen("D-02", () => isRefusal(trial, missing, badBody("label")))
  same("how many keys there are", listOf(await project.ask("/keys")).length, 1)
  const answers: ReadonlyArray<readonly [string, HttpAnswer]> = await Promise.all(
    ["", "x".repeat(100), "😀".repeat(100), "x".repeat(101), "😀".repeat(101)].map(
      async (label) => [label, await mint(project, { scopes, label })] as const
    )
  )
  trial.chosen("D-17", () => {
    for (const [label, answer] of answers) {
      const chars = [...label].length
      if (chars >= 1 && chars <= 100) isSuccess(answer)
      else isRefusal(trial, answer, badBody("label"))
    }
  })
  const labels = await labelsOf(project)
  trial.chosen("D-17", () => same("how many keys there are", labels.length, 3))
}

export async function revokedRow(trial: Trial): Promise<void> {
  const project = await trial.project()
  const [revoked, active] = [await project.key("rooms:read"), await project.key("rooms:write")]
  const momentOf = async (keyId: string): Promise<string | null> =>
    trial.codecs.revokedAt(await rowOfKey(project, keyId))
  same("the revocation of an active key", await momentOf(revoked.keyId), null)
  const first = await project.ask(`/keys/${revoked.keyId}`, { method: "DELETE" })
  isSuccess(first)
  const at = await momentOf(revoked.keyId)
  matches("the moment of revocation", at, moment)
  const second = await project.ask(`/keys/${revoked.keyId}`, { method: "DELETE" })
  trial.chosen("D-19", () => {
    same("the answer to a revocation", trial.codecs.revokedAt(first.json), at)
    same("the answer to a second", [second.status, second.text], [first.status, first.text])
  })
  same("the moment after a second revocation", await momentOf(revoked.keyId), at)
  same("the label still", Object(await rowOfKey(project, revoked.keyId))["label"], "conformance")
  // Another key of the same label, which leaves the revoked one as it is.
  await project.key("rooms:read")
  same("the moment after the mint of another", await momentOf(revoked.keyId), at)
  same("the revocation of the other key", await momentOf(active.keyId), null)
  isSuccess(await project.ask("/rooms", { bearer: active.secret }))
  const other = await trial.project()
  const foreign = await other.key("rooms:read")
  for (const keyId of ["key_0123456789abcdef", foreign.keyId]) {
    const unknown = await project.ask(`/keys/${keyId}`, { method: "DELETE" })
    isRefused(unknown)
    const outcome = { status: 404, code: "E_KEY_NOT_FOUND" }
    trial.chosen("D-19", () => isRefusal(trial, unknown, { outcome }))
  }
  isSuccess(await other.ask("/rooms", { bearer: foreign.secret }))
}

export async function lastUsedToTheMinute(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { keyId, secret: bearer } = await project.key("rooms:read")
  const usedMs = async (): Promise<number> => Date.parse(String(await lastUsedOf(project, keyId)))
  await onHeldClock(trial, minuteMs, async () => {
    isSuccess(await project.ask("/rooms", { bearer }))
    const first = await usedMs()
    await trial.control.advance(minuteMs)
    isRefused(await project.ask("/rooms/nobody", { method: "DELETE", bearer }))
    const refused = await usedMs()
    isSuccess(await project.ask("/rooms", { bearer }))
    const again = await usedMs()
    trial.chosen("D-18", () => {
      same("lastUsed after a call that was refused", refused, first)
      same("lastUsed after a use a minute later", again, first + minuteMs)
    })
  })
}

export const mint = (project: Project, body: unknown): Promise<HttpAnswer> =>
  project.ask("/keys", { method: "POST", body })

const badBody = (naming: string) => ({ ...rowOf("error", "error.http.E_BAD_REQUEST"), naming })

/** Eight characters of it, wherever they begin: no other text has them by chance. */
export const partsOf = (secret: string): ReadonlyArray<string> => {
  const tail = secret.slice(-tailChars)
  return Array.from({ length: tail.length - 7 }, (_, at) => tail.slice(at, at + 8))
}

export const digestsOf = (secret: string): ReadonlyArray<string> =>
  [secret, secret.slice(-tailChars)].flatMap((text) => {
    const digest = createHash("sha256").update(text).digest()
    return [digest.toString("hex"), digest.toString("base64"), digest.toString("base64url")]
  })
