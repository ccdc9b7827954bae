import { randomBytes } from "node:crypto"

import { type StubAnswer, type StubCall, StubRefusal, bad, bodyOf } from "./StubAnswer.ts"
import {
  type StubKey,
  type StubProject,
  type StubState,
  digestOf,
  nowText,
  randomText
} from "./StubState.ts"

/** Another order of fields than one would write, and one that nobody asked for. */
const rowOf = (key: StubKey, call: StubCall): Readonly<Record<string, unknown>> => ({
  colour: "green",
  revokedAt: call.misbehaves("revoked-untold") ? null : key.revokedAt,
  scopes: key.scopes,
  lastUsed: key.usedAt,
  ...(key.leaked === null ? {} : { hint: key.leaked }),
  label: key.label,
  keyId: key.id
})

export const mintKey = (state: StubState, call: StubCall, project: StubProject): StubAnswer => {
  const { scopes, label } = bodyOf(call)
  const known = ["rooms:read", "rooms:write"]
  const asked = Array.isArray(scopes) ? scopes.map(String) : []
  if (asked.length === 0 || !Array.isArray(scopes)) throw bad("scopes: one or two of them, please")
  if (asked.some((scope) => !known.includes(scope)) && !call.misbehaves("any-scope")) {
    throw bad("scopes: rooms:read, rooms:write, nothing else")
  }
  if (typeof label !== "string") throw bad("label: text, please")
  const secret = `sk_${randomText(call.misbehaves("short-secrets") ? 42 : 43)}`
  const key: StubKey = {
    id: call.misbehaves("key-ids-of-words") ? `key_${randomText(12)}` : newKeyId(),
    project: project.id,
    digest: digestOf(secret),
    scopes: asked,
    leaked: call.misbehaves("secret-in-list") ? secret : null,
    label: call.misbehaves("trim-label") ? label.slice(0, 8) : label,
    usedAt: null,
    revokedAt: null
  }
  project.keys.push(key)
  state.keys.set(key.digest, key)
  return { status: 200, body: { secret, ...rowOf(key, call) } }
}

const newKeyId = (): string => `key_${randomBytes(12).toString("hex")}`

/** Oldest first: no order is written anywhere. */
export const listKeys = (call: StubCall, project: StubProject): StubAnswer => {
  const rows = project.keys.map((key) => rowOf(key, call))
  return { status: 200, body: call.misbehaves("keys-in-object") ? { keys: rows } : rows }
}

export const revokeKey = (call: StubCall, project: StubProject): StubAnswer => {
  const at = project.keys.findIndex(({ id }) => id === call.parts[4])
  const key = project.keys[at]
  if (key === undefined) throw new StubRefusal(404, "E_NOT_FOUND", "no such key")
  key.revokedAt ??= nowText()
  if (call.misbehaves("revoke-deletes-row")) project.keys.splice(at, 1)
  return { status: 204 }
}
