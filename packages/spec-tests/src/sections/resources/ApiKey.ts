import { createHash } from "node:crypto"

import fc from "fast-check"

import { isSuccess } from "../../check/Answers.ts"
import { same, matches, holds } from "../../check/Expect.ts"
import { forAll } from "../../check/ForAll.ts"
import type { Codecs } from "../../codec/Codecs.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Trial } from "../../trial/Trial.ts"
import { hasShape } from "../DecidedShapes.ts"
import { isOk, sentWith } from "../EveryExchange.ts"
import { keyFields } from "../Literals.ts"
import { section, tierA, tierC, rowOf } from "../Section.ts"
import { dayMs } from "../Units.ts"
import {
  tailChars,
  secretOnce,
  mintedScopes,
  mintedLabel,
  mint,
  labelsOf,
  keysRoute,
  moment,
  revokedRow,
  lastUsedToTheMinute,
  shown,
  secretChars,
  partsOf,
  digestsOf,
  keyRowFault,
  isoMoment
} from "./ApiKeyProbes.ts"
import { rowOfKey, lastUsedOf } from "./KeyRows.ts"

/** Lines 66 to 70 of the specification: API key. */
export const apiKeySection = section("Resources and their fields / API key", {
  "keys.secret.form": tierA(66, "secret = fixed service prefix + 43 characters", {
    decisions: ["D-16"],
    text: { pattern: "^\\S+[A-Za-z0-9_-]{43}$", good: [], bad: [], outcome: {} },
    check: {
      title: "secrets are one prefix and 43 characters, all different; key ids are key_ and hex",
      run: async (trial) => {
        const project = await trial.project()
        const minted = await Promise.all(
          Array.from({ length: 32 }, () => project.key("rooms:read"))
        )
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
    }
  }),
  "keys.secret.once": tierA(66, "the secret appears only in the minting answer", {
    ambient: [
      {
        title: "a secret that a mint has shown is in no other answer of the run",
        look: (answer, codecs) => secretFault(answer, codecs)
      }
    ],
    check: {
      title: "a secret is in the answer to its mint, and in no later answer of any route",
      run: secretOnce
    }
  }),
  "keys.secret.only-hash-stored": tierC(66, "only SHA-256 of the secret is kept", {
    hooks: ["storage"],
    is: { hash: "SHA-256" },
    check: { title: "nothing that is stored holds a secret; its SHA-256 is stored", run: onlyHash }
  }),
  "keys.id.form": tierA(67, "key id = `key_` + hex", {
    decisions: ["D-16"],
    text: { pattern: "^key_[0-9a-f]+$", good: [], bad: [], outcome: {} },
    provedBy: "keys.secret.form"
  }),
  "keys.mint.scopes": tierA(68, "scopes: array of rooms:read / rooms:write", {
    decisions: ["D-17"],
    shape: {
      of: "the body of POST /v1/projects/:id/keys",
      fields: { scopes: { type: ["array"] }, label: { type: ["string"] } }
    },
    is: { scopes: ["rooms:read", "rooms:write"] },
    check: { title: "scopes are an array of rooms:read and rooms:write", run: mintedScopes }
  }),
  "keys.mint.label": tierA(68, "label: string", {
    decisions: ["D-17"],
    literalsOf: "keys.mint.scopes",
    check: { title: "a label is a text that has to be there", run: mintedLabel }
  }),
  "keys.row.label": tierA(69, "row has the label", {
    shape: {
      of: "an element of GET /v1/projects/:id/keys",
      fields: {
        label: { type: ["string"] },
        scopes: { type: ["array"] },
        lastUsed: { type: ["string", "null"] }
      }
    },
    provedBy: "state.key.post-active#model",
    check: {
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
    }
  }),
  "keys.row.scopes": tierA(69, "row has the scopes", {
    literalsOf: "keys.row.label",
    provedBy: ["keys.row.label", "state.key.post-active#model"]
  }),
  "keys.row.lastUsed": tierA(69, "row has lastUsed", {
    decisions: ["D-18"],
    literalsOf: "keys.row.label",
    provedBy: "state.key.post-active#model",
    ambient: [
      {
        title: "every row of every list of keys has the fields that are shown, moments in ISO 8601",
        look: ({ request, status, json }, codecs) => {
          if (request.method !== "GET" || !keysRoute.test(request.path) || status !== 200)
            return undefined
          if (!Array.isArray(json)) return "no array"
          if (json.length === 0) return undefined
          const faults = json.map((row: unknown) => keyFault(row, codecs))
          return faults.find((fault) => fault !== null) ?? null
        }
      }
    ],
    check: [
      {
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
        needs: ["clock"],
        alone: true,
        title: "lastUsed is at most a minute behind, and a refused call does not move it",
        run: lastUsedToTheMinute
      }
    ]
  }),
  "keys.row.revoked-time": tierA(69, "a revoked row carries the revocation time", {
    decisions: ["D-19"],
    literalsOf: "keys.row.label",
    check: {
      title: "a revoked key stays in the list with the moment of its first revocation",
      run: revokedRow
    }
  }),
  "keys.row.stays-after-revoke": tierA(69, "a revoked key stays in the listing", {
    literalsOf: "keys.row.label",
    provedBy: ["keys.row.revoked-time", "state.key.post-active#model"]
  }),
  "keys.list.no-material": tierA(69, "listings never contain key material", {
    provedBy: "state.key.post-active#model",
    ambient: [
      {
        title: "no list of keys has a secret or its digest",
        look: (answer) => {
          if (
            answer.request.method !== "GET" ||
            !keysRoute.test(answer.request.path) ||
            !isOk(answer)
          ) {
            return undefined
          }
          if (!materialForm.test(answer.text)) return null
          const found = [...shown].some(([secret, digests]) =>
            [secret.slice(-secretChars), ...digests].some((part) => answer.text.includes(part))
          )
          return found ? "a secret or its digest" : null
        }
      }
    ],
    check: {
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
    }
  }),
  "keys.row.field-names": tierA(69, "other field names of the listing are not given", {
    level: "decided",
    decisions: ["D-18"],
    shape: { of: "an element of GET /v1/projects/:id/keys", fields: keyFields, exact: true },
    check: {
      title: "a key is minted and listed with the fields of D-17 and D-18, and no others",
      run: async (trial) => {
        const project = await trial.project()
        const body = { scopes: ["rooms:read"], label: "shape" }
        const minted = await project.ask("/keys", { method: "POST", body })
        isSuccess(minted)
        const mint = { id: "keys.mint.response-fields", decision: "D-17" }
        hasShape(trial, mint, minted.json)
        const { lastUsed, revokedAt } = Object(minted.json)
        trial.chosen("D-17", () => same("of a new key", [lastUsed, revokedAt], [null, null]))
        const list = await project.ask("/keys")
        isSuccess(list)
        const rows: ReadonlyArray<unknown> = Array.isArray(list.json) ? list.json : []
        trial.chosen("D-04", () => same("rows in the list", rows.length, 1))
        hasShape(trial, { id: "keys.row.field-names", decision: "D-18" }, rows[0])
      }
    }
  }),
  "keys.never-expire": tierC(70, "keys have no expiry", {
    hooks: ["clock"],
    alsoLines: [300],
    keep: { datum: "an API key", forMs: "forever", becomes: "stays" },
    check: {
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
  })
})

const keyFault = (row: unknown, codecs: Codecs): string | null => {
  const value: Readonly<Record<string, unknown>> = { lastUsed: null, ...Object(row) }
  const fault = keyRowFault(value)
  if (fault !== null) return fault
  const moments = [value["lastUsed"], codecs.revokedAt(row)].filter((at) => at !== null)
  const odd = moments.find((at) => typeof at !== "string" || !isoMoment.test(at))
  return odd === undefined ? null : `the moment ${String(odd)}`
}

const secretFault = (answer: HttpAnswer, codecs: Codecs): string | null | undefined => {
  const { method, path, bearer = "" } = answer.request
  const minted =
    method === "POST" && keysRoute.test(path) && isOk(answer) ? codecs.minted(answer.json) : null
  // A refusal may repeat text of the request that it refuses; such text is no leak.
  const sent = sentWith(answer)
  const told = tailsIn(answer.text).filter((one) => tails.has(one) && !sent.includes(one))
  const tail = bearer.slice(-secretChars)
  const own = bearer.length >= secretChars && answer.text.includes(tail) && !sent.includes(tail)
  if (minted !== null) {
    const digest = createHash("sha256").update(minted.secret).digest()
    const forms = (["hex", "base64", "base64url"] as const).map((form) => digest.toString(form))
    shown.set(minted.secret, forms)
    tails.add(minted.secret.slice(-secretChars))
  }
  if (told.length > 0 || own) return "a secret that was shown before"
  return tails.size > 0 ? null : undefined
}

const tails = new Set<string>()

/** Every form of a secret and of its digest is in a JSON text a run of this length or longer. */
const materialForm = /[^\s"]{43}/

/** The last 43 characters of every run of such characters: a secret ends where they end. */
const tailsIn = (text: string): ReadonlyArray<string> =>
  (text.match(/[A-Za-z0-9_-]{43,}/g) ?? []).map((run) => run.slice(-secretChars))

const yearMs = 366 * dayMs

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

const commonPrefix = ([first = "", ...others]: ReadonlyArray<string>): string => {
  let chars = 0
  while (chars < first.length && others.every((other) => other[chars] === first[chars])) chars++
  return first.slice(0, chars)
}
