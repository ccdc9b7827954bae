import { KeyLimits } from "@atrium/domain/keys/KeyLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import type { Scope } from "@atrium/domain/shared/Scope"
import { describe, expect, test } from "vitest"

import {
  ApiKeyEvent,
  ApiKeyState,
  type RevokeAnswer,
  step,
  type UseAnswer
} from "./ApiKeyMachine.ts"

const own = ProjectId.make("p_0123456789abcdef")
const foreign = ProjectId.make("p_fedcba9876543210")

const lastUsedMs = 1_790_000_000_000
const keyOf = (scopes: ReadonlyArray<Scope>, usedMs: number | null = lastUsedMs) =>
  ApiKeyState.Active({ projectId: own, scopes, lastUsedMs: usedMs })

const unknown = ApiKeyState.Unknown()
const reader = keyOf(["rooms:read"])
const writer = keyOf(["rooms:write"])
const both = keyOf(["rooms:read", "rooms:write"])
const fresh = keyOf(["rooms:write"], null)
const revoked = ApiKeyState.Revoked({ projectId: own, revokedAtMs: 7 })

const states = { unknown, reader, writer, both, fresh, revoked }

/** Just before the next use is written. */
const soonMs = lastUsedMs + KeyLimits.keyUseWrites.ms - 1

const use = (projectId: string, scope: Scope, nowMs = soonMs) =>
  ApiKeyEvent.UseAsked({ projectId, scope, nowMs })
const revoke = (projectId: string, nowMs = 9) => ApiKeyEvent.RevokeAsked({ projectId, nowMs })

type Row = readonly [
  rule: string,
  state: keyof typeof states,
  event: ApiKeyEvent,
  answer: UseAnswer | RevokeAnswer
]

describe("answers that leave the key as it is", () => {
  test.each<Row>([
    ["auth.401.unknown", "unknown", use(own, "rooms:read"), "E_UNAUTHENTICATED"],
    ["state.key.revoked-401", "revoked", use(own, "rooms:read"), "E_UNAUTHENTICATED"],
    ["state.key.revoked-401", "revoked", use(own, "rooms:write"), "E_UNAUTHENTICATED"],
    ["auth.401.revoked", "revoked", use(foreign, "rooms:read"), "E_UNAUTHENTICATED"],
    ["auth.key.other-project-404", "reader", use(foreign, "rooms:read"), "E_NOT_FOUND"],
    ["auth.key.other-project-404", "both", use(foreign, "rooms:write"), "E_NOT_FOUND"],
    ["auth.key.other-project-404", "reader", use("", "rooms:read"), "E_NOT_FOUND"],
    ["auth.key.other-project-404", "reader", use(`${own} `, "rooms:read"), "E_NOT_FOUND"],
    ["auth.key.order-404-before-403", "reader", use(foreign, "rooms:write"), "E_NOT_FOUND"],
    ["auth.403.scope", "reader", use(own, "rooms:write"), "E_SCOPE"],
    ["scope.read.reaches", "reader", use(own, "rooms:read"), "granted"],
    ["scope.write-implies-read", "writer", use(own, "rooms:read"), "granted"],
    ["scope.write.reaches", "writer", use(own, "rooms:write"), "granted"],
    ["scope.write.reaches", "both", use(own, "rooms:write"), "granted"],
    ["D-19", "unknown", revoke(own), "E_KEY_NOT_FOUND"],
    ["D-19", "writer", revoke(foreign), "E_KEY_NOT_FOUND"],
    ["D-19", "revoked", revoke(foreign), "E_KEY_NOT_FOUND"],
    ["state.key.delete-revoked", "revoked", revoke(own), "revoked"]
  ])("[%s] %s, %j: %s", (...[, name, event, answer]: Row) => {
    const state = states[name]
    const [next, given] = step(state, event)
    expect(given).toBe(answer)
    expect(next).toBe(state)
  })
})

describe("the events of a key", () => {
  test.each([
    ["reader", reader],
    ["writer", writer],
    ["fresh", fresh]
  ])("[state.key.delete-revoked] a %s key is revoked at that moment", (_name, state) => {
    expect(step(state, revoke(own, 123))).toEqual([
      ApiKeyState.Revoked({ projectId: own, revokedAtMs: 123 }),
      "revoked"
    ])
  })

  test("[state.key.delete-revoked] of two revocations the first moment is kept", () => {
    const [once] = step(writer, revoke(own, 123))
    expect(step(once, revoke(own, 456))).toEqual([
      ApiKeyState.Revoked({ projectId: own, revokedAtMs: 123 }),
      "revoked"
    ])
  })

  test("[keys.row.lastUsed] the first use is written", () => {
    expect(step(fresh, use(own, "rooms:read", 5))).toEqual([{ ...fresh, lastUsedMs: 5 }, "granted"])
  })

  test("[D-18] [limits.keyUseWrites] a use is written a minute after the last one that was, not before", () => {
    const minute = lastUsedMs + KeyLimits.keyUseWrites.ms
    expect(step(writer, use(own, "rooms:read", minute - 1))[0]).toBe(writer)
    expect(step(writer, use(own, "rooms:read", minute))).toEqual([
      { ...writer, lastUsedMs: minute },
      "granted"
    ])
  })

  test("[D-18] a clock that was set back does not move the last use back", () => {
    expect(step(writer, use(own, "rooms:read", 5))).toEqual([writer, "granted"])
  })

  test("[D-18] a refused call is no use of the key, however old the last use is", () => {
    for (const [state, event] of [
      [reader, use(own, "rooms:write", soonMs * 2)],
      [reader, use(foreign, "rooms:read", soonMs * 2)],
      [revoked, use(own, "rooms:read", soonMs * 2)]
    ] as const) {
      expect(step(state, event)[0]).toBe(state)
    }
  })
})
