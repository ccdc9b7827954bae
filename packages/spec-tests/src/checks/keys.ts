import { createHash } from "node:crypto"

import fc from "fast-check"

import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, matches, same } from "../check/Expect.ts"
import { forAll } from "../check/ForAll.ts"
import { rowOf } from "../tables/Tables.ts"
import { dayMs, minuteMs } from "../tables/Units.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Project } from "../trial/Project.ts"
import type { Trial } from "../trial/Trial.ts"
import { labelsOf, lastUsedOf, listOf, rowOfKey } from "./keyRows.ts"

const tailChars = 43
const yearMs = 366 * dayMs
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Project API keys: minting, listing, revoking. */
export const keyChecks: ReadonlyArray<Check> = [
  {
    ids: ["keys.secret.form", "keys.id.form"],
    title: "secrets are one prefix and 43 characters, all different; key ids are key_ and hex",
    run: async (trial) => {
      const project = await trial.project()
      const minted = await Promise.all(Array.from({ length: 32 }, () => project.key("rooms:read")))
      const secrets = minted.map(({ secret }) => secret)
      same("how many secrets differ", new Set(secrets).size, secrets.length)
      const prefix = commonPrefix(secrets)
      for (const secret of secrets) {
        matches("the secret", secret, new RegExp(rowOf("text", "keys.secret.form").pattern))
        same("characters behind what all secrets have", secret.length - prefix.length, tailChars)
      }
      trial.chosen("D-16", () => same("the prefix of secrets", prefix, "rk_"))
      const id = new RegExp(rowOf("text", "keys.id.form").pattern)
      for (const { keyId } of minted) matches("the key id", keyId, id)
      same("how many ids differ", new Set(minted.map(({ keyId }) => keyId)).size, minted.length)
      for (const { keyId } of minted) await rowOfKey(project, keyId)
    }
  },
  {
    ids: ["keys.secret.once", "auth.key.no-recovery"],
    title: "a secret is in the answer to its mint, and in no later answer of any route",
    run: secretOnce
  },
  {
    ids: ["keys.secret.only-hash-stored"],
    title: "nothing that is stored holds a secret; its SHA-256 is stored",
    run: onlyHash
  },
  {
    ids: ["keys.mint.scopes"],
    title: "scopes are an array of rooms:read and rooms:write",
    run: mintedScopes
  },
  {
    ids: ["keys.mint.label"],
    title: "a label is a text that has to be there",
    run: mintedLabel
  },
  {
    ids: ["keys.row.label", "keys.row.scopes", "keys.list.array"],
    title: "the list is an array whose rows have labels and scopes as they were minted",
    run: async (trial) => {
      const project = await trial.project()
      same("the list of no keys", (await project.ask("/keys")).json, [])
      const wanted = Array.from({ length: 3 }, (_, at) => `in order ${at}`)
      for (const label of wanted) await mint(project, { scopes: ["rooms:read"], label })
      const inOrder = await labelsOf(project)
      trial.chosen("D-04", () => same("the newest first", inOrder, wanted.toReversed()))
      const labels = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      const scopes = fc.shuffledSubarray(["rooms:read", "rooms:write"], { minLength: 1 })
      const examples = [
        { label: " two words ", scopes: ["rooms:write"] },
        { label: "👩‍👩‍👧 é مرحبا \"'<b>\\", scopes: ["rooms:read", "rooms:write"] }
      ]
      await forAll(
        trial,
        { of: fc.record({ label: labels, scopes }), examples },
        async (wanted) => {
          const minted = trial.codecs.minted((await mint(project, wanted)).json)
          holds(`a key labelled ${wanted.label}`, minted !== null, null)
          const { label, scopes: listed } = Object(await rowOfKey(project, minted?.keyId ?? ""))
          same("the label", label, wanted.label)
          same("the scopes", [...listed].toSorted(), wanted.scopes.toSorted())
        }
      )
    }
  },
  {
    ids: ["keys.row.lastUsed"],
    title: "lastUsed is empty before a key's first use, and the moment of it afterwards",
    run: async (trial) => {
      const project = await trial.project()
      const [used, idle] = [await project.key("rooms:read"), await project.key("rooms:read")]
      for (const { keyId } of [used, idle]) {
        same("lastUsed before any use", (await lastUsedOf(project, keyId)) ?? null, null)
      }
      isSuccess(await project.ask("/rooms", { bearer: used.secret }))
      const first = await trial.until("lastUsed after a use", async () => {
        const at = await lastUsedOf(project, used.keyId)
        return typeof at === "string" ? at : null
      })
      matches("lastUsed", first, moment)
      for (let looks = 0; looks < 3; looks++) {
        same("lastUsed while unused", await lastUsedOf(project, used.keyId), first)
      }
      same("lastUsed of the other key", (await lastUsedOf(project, idle.keyId)) ?? null, null)
    }
  },
  {
    ids: ["auth.key.lastUsed-shows-use"],
    title: "lastUsed moves with a later use, and with nothing else",
    alone: true,
    run: lastUsedMoves
  },
  {
    ids: ["keys.row.revoked-time", "keys.row.stays-after-revoke", "state.key.delete-revoked"],
    title: "a revoked key stays in the list with the moment of its first revocation",
    run: revokedRow
  },
  {
    ids: ["state.key.post-active", "state.key.revoked-401"],
    title: "a key works from its mint on, until it is revoked",
    run: async (trial) => {
      const project = await trial.project()
      const [key, other] = [await project.key("rooms:read"), await project.key("rooms:read")]
      for (const { secret } of [key, other])
        isSuccess(await project.ask("/rooms", { bearer: secret }))
      isSuccess(await project.ask(`/keys/${key.keyId}`, { method: "DELETE" }))
      for (let uses = 0; uses < 5; uses++) {
        const late = await project.ask("/rooms", { bearer: key.secret })
        isRefusal(trial, late, rowOf("error", "state.key.revoked-401"))
      }
      isSuccess(await project.ask("/rooms", { bearer: other.secret }))
    }
  },
  {
    ids: ["keys.list.no-material"],
    title: "the list of keys has no part of a secret and none of its digests",
    run: async (trial) => {
      const project = await trial.project()
      const [active, used, revoked] = [
        await project.key("rooms:read"),
        await project.key("rooms:read", "rooms:write"),
        await project.key("rooms:write")
      ]
      isSuccess(await project.ask("/rooms", { bearer: used.secret }))
      isSuccess(await project.ask(`/keys/${revoked.keyId}`, { method: "DELETE" }))
      const list = await project.ask("/keys")
      isSuccess(list)
      for (const { keyId, secret } of [active, used, revoked]) {
        holds("the list has the key", list.text.includes(keyId), list.text)
        const parts = partsOf(secret).filter((part) => list.text.includes(part))
        same("parts of a secret in the list", parts.length, 0)
        const digests = digestsOf(secret).filter((digest) => list.text.includes(digest))
        same("digests of a secret in the list", digests.length, 0)
      }
    }
  },
  {
    ids: ["keys.never-expire"],
    title: "a key works after ten years without use",
    alone: true,
    timeoutMs: 120_000,
    run: async (trial) => {
      const project = await trial.project()
      const key = await project.key("rooms:read")
      isSuccess(await project.ask("/rooms", { bearer: key.secret }))
      const beforeMs = await trial.control.nowMs()
      const years = 10
      // A year at a time: no hook has to take more than that.
      for (let year = 0; year < years; year++) await trial.control.advance(yearMs)
      const passedMs = (await trial.control.nowMs()) - beforeMs
      holds("ten years have passed", passedMs >= years * yearMs, passedMs)
      isSuccess(await project.ask("/rooms", { bearer: key.secret }))
    }
  }
]

async function secretOnce(trial: Trial): Promise<void> {
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

async function onlyHash(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { secret } = await project.key("rooms:read")
  isSuccess(await project.ask("/rooms", { bearer: secret }))
  same("stored texts with the secret", await trial.control.storedTexts(secret), 0)
  const tail = secret.slice(-tailChars)
  same("stored texts with what follows the prefix", await trial.control.storedTexts(tail), 0)
  const found = await Promise.all(digestsOf(secret).map((text) => trial.control.storedTexts(text)))
  holds(
    "its SHA-256 is stored",
    found.some((count) => count > 0),
    found
  )
}

async function mintedScopes(trial: Trial): Promise<void> {
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

async function mintedLabel(trial: Trial): Promise<void> {
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
  await trial.control.hold(true)
  trial.later(() => trial.control.hold(false))
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

async function revokedRow(trial: Trial): Promise<void> {
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

const mint = (project: Project, body: unknown): Promise<HttpAnswer> =>
  project.ask("/keys", { method: "POST", body })

const badBody = (naming: string) => ({ ...rowOf("error", "error.http.E_BAD_REQUEST"), naming })

const commonPrefix = ([first = "", ...others]: ReadonlyArray<string>): string => {
  let chars = 0
  while (chars < first.length && others.every((other) => other[chars] === first[chars])) chars++
  return first.slice(0, chars)
}

/** Eight characters of it, wherever they begin: no other text has them by chance. */
const partsOf = (secret: string): ReadonlyArray<string> => {
  const tail = secret.slice(-tailChars)
  return Array.from({ length: tail.length - 7 }, (_, at) => tail.slice(at, at + 8))
}

const digestsOf = (secret: string): ReadonlyArray<string> =>
  [secret, secret.slice(-tailChars)].flatMap((text) => {
    const digest = createHash("sha256").update(text).digest()
    return [digest.toString("hex"), digest.toString("base64"), digest.toString("base64url")]
  })
