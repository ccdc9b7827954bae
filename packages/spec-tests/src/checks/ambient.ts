import { createHash } from "node:crypto"

import type { Codecs } from "../codec/Codecs.ts"
import { shapeOf } from "../families/Shape.ts"
import { rowOf } from "../tables/Tables.ts"
import type { AmbientRule } from "../trial/Ambient.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"

const projectRoute = /^\/v1\/projects\/[^/?]+/
const roomsRoute = /^\/v1\/projects\/[^/?]+\/rooms(?:\?|$)/
const roomRoute = /^\/v1\/projects\/[^/?]+\/rooms\/[^/?]+(?:\?|$)/
const keysRoute = /^\/v1\/projects\/[^/?]+\/keys(?:\?|$)/
const bytesRoute = /\/saves\/[^/?]+\/bytes(?:\?|$)/

const isOk = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300
const isError = ({ status }: HttpAnswer): boolean => status >= 400
const isApi = ({ request }: HttpAnswer): boolean => request.path.startsWith("/v1/")
/** HEAD has no body, and a preflight needs none. */
const hasBody = ({ request, status }: HttpAnswer): boolean =>
  request.method !== "HEAD" && request.method !== "OPTIONS" && status !== 204 && status !== 304

/** What holds of every exchange of a run. */
export const ambientRules: ReadonlyArray<AmbientRule> = [
  {
    ids: ["error.body-shape"],
    title:
      "the service never fails by itself: of 5xx there are the 502 that is shown, and a 503 that ends",
    look: (answer, codecs) => {
      const { status } = answer
      if (status < 500) return null
      if (status === 502 && codecs.error(answer)?.code === evictFailed()) return null
      if (status === 503 && /^\d+$/.test(answer.headers["retry-after"] ?? "")) return null
      return `${status} ${answer.text.slice(0, 200)}`
    }
  },
  {
    ids: ["error.body-shape"],
    title: "every refusal of the API has the shape of an error, its code E_ and capitals",
    look: (answer, codecs) => {
      if (!isApi(answer) || !isError(answer) || !hasBody(answer)) return undefined
      const error = codecs.error(answer)
      if (error === null) return `${answer.status} ${answer.text.slice(0, 200)}`
      if (!/^E_[A-Z0-9_]+$/.test(error.code)) return `the code ${error.code}`
      return error.message === "" ? "an empty message" : null
    }
  },
  {
    ids: ["http.json-bodies"],
    title: "every answer of the API but a save's bytes is JSON, by its type and by its content",
    look: (answer) => {
      if (!projectRoute.test(answer.request.path) || !hasBody(answer)) return undefined
      if (isOk(answer) && bytesRoute.test(answer.request.path)) return undefined
      const type = answer.headers["content-type"] ?? "no content type"
      if (!/^application\/json(\s*;|$)/i.test(type)) return type
      return answer.json === undefined ? `no JSON: ${answer.text.slice(0, 200)}` : null
    }
  },
  {
    ids: ["error.message.96-bytes"],
    title: "every message of an error has at most 96 bytes",
    look: (answer, codecs) => {
      const error = isError(answer) ? codecs.error(answer) : null
      if (error === null) return undefined
      const bytes = Buffer.byteLength(error.message)
      return bytes <= messageMax() ? null : `${bytes} bytes: ${error.message}`
    }
  },
  {
    ids: ["error.message.cut-on-character"],
    title: "every message of an error is UTF-8, and ends in no half of a character",
    look: (answer, codecs) => {
      const error = isError(answer) ? codecs.error(answer) : null
      if (error === null) return undefined
      // Half a character that was sent may come back.
      if (/\\ud[89a-f]/i.test(sentWith(answer))) return undefined
      if (!error.message.isWellFormed()) return `half a character: ${error.message}`
      return isUtf8(answer.bytes) ? null : "bytes that are no UTF-8"
    }
  },
  {
    ids: ["keys.secret.once"],
    title: "a secret that a mint has shown is in no other answer of the run",
    look: (answer, codecs) => secretFault(answer, codecs)
  },
  {
    ids: ["keys.list.no-material"],
    title: "no list of keys has a secret or its digest",
    look: (answer) => {
      if (
        answer.request.method !== "GET" ||
        !keysRoute.test(answer.request.path) ||
        !isOk(answer)
      ) {
        return undefined
      }
      const found = [...shown].some(([secret, digests]) =>
        [secret.slice(-secretChars), ...digests].some((part) => answer.text.includes(part))
      )
      return found ? "a secret or its digest" : null
    }
  },
  {
    ids: ["rooms.row.exact-keys"],
    title: "every row of every list of rooms has the fields that are shown",
    needs: ["fixture"],
    look: ({ request, status, json }) => {
      if (request.method !== "GET" || !roomsRoute.test(request.path) || status !== 200)
        return undefined
      if (!Array.isArray(json)) return "no array"
      if (json.length === 0) return undefined
      return json.map(rowFault).find((fault) => fault !== null) ?? null
    }
  },
  {
    ids: ["rooms.detail.exact-keys"],
    title: "every detail of a room has the fields that are shown",
    needs: ["fixture"],
    look: ({ request, status, json }) => {
      const isDetail = request.method === "GET" || request.method === "PATCH"
      if (!isDetail || !roomRoute.test(request.path) || status !== 200) return undefined
      return detailFault(json)
    }
  },
  {
    ids: ["keys.row.lastUsed"],
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
]

const evictFailed = () => rowOf("error", "error.http.E_EVICT_FAILED").outcome.code
const messageMax = () => rowOf("boundary", "error.message.96-bytes").accept
const secretChars = 43
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

// Fields beyond those that are shown are for the checks that say whose choice they are.
const shapeFault = (id: string) => {
  const { exact: _, ...row } = rowOf("shape", id)
  return shapeOf(row)
}
const rowFault = (value: unknown) => shapeFault("rooms.row.exact-keys")(value)
const detailFault = (value: unknown) => shapeFault("rooms.detail.exact-keys")(value)
const keyRowFault = (value: unknown) => shapeFault("keys.row.lastUsed")(value)

const keyFault = (row: unknown, codecs: Codecs): string | null => {
  const value: Readonly<Record<string, unknown>> = { lastUsed: null, ...Object(row) }
  const fault = keyRowFault(value)
  if (fault !== null) return fault
  const moments = [value["lastUsed"], codecs.revokedAt(row)].filter((at) => at !== null)
  const odd = moments.find((at) => typeof at !== "string" || !moment.test(at))
  return odd === undefined ? null : `the moment ${String(odd)}`
}

/** Secrets of API keys that answers have shown, with their digests as text. */
const shown = new Map<string, ReadonlyArray<string>>()

const secretFault = (answer: HttpAnswer, codecs: Codecs): string | null | undefined => {
  const { method, path, bearer = "" } = answer.request
  const minted =
    method === "POST" && keysRoute.test(path) && isOk(answer) ? codecs.minted(answer.json) : null
  // What somebody writes into an address may come back in the message that refuses it.
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

/** What a request says beside its credential. */
const sentWith = ({ request: { path, body } }: HttpAnswer): string =>
  body === undefined || body instanceof Uint8Array
    ? path
    : `${path} ${typeof body === "string" ? body : JSON.stringify(body)}`

/** The last 43 characters of every run of such characters: a secret ends where they end. */
const tailsIn = (text: string): ReadonlyArray<string> =>
  (text.match(/[A-Za-z0-9_-]{43,}/g) ?? []).map((run) => run.slice(-secretChars))

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).length >= 0
  } catch {
    return false
  }
}
