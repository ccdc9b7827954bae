import { KeyLimits } from "@atrium/domain/keys/KeyLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Scopes } from "@atrium/domain/shared/Scope"
import fc from "fast-check"
import { expect, test } from "vitest"

import { ApiKeyEvent, ApiKeyState, step } from "./ApiKeyMachine.ts"

const own = ProjectId.make("p_0123456789abcdef")
const projectId = fc.constantFrom<string>(own, own, own, "p_fedcba9876543210", "", "nonsense")
const scope = fc.constantFrom(...Scopes)
/** Up to some minutes, or thousands of years. */
const nowMs = fc.oneof(fc.nat(5 * KeyLimits.keyUseWrites.ms), fc.maxSafeNat())

const anyUse = fc.record({ projectId, scope, nowMs }).map((it) => ApiKeyEvent.UseAsked(it))
const anyEvent: fc.Arbitrary<ApiKeyEvent> = fc.oneof(
  { weight: 6, arbitrary: anyUse },
  { weight: 1, arbitrary: fc.record({ projectId, nowMs }).map((it) => ApiKeyEvent.RevokeAsked(it)) }
)

const anyKey: fc.Arbitrary<ApiKeyState> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        scopes: fc.uniqueArray(scope, { minLength: 1 }),
        lastUsedMs: fc.option(nowMs)
      })
      .map((it) => ApiKeyState.Active({ projectId: own, ...it }))
  },
  fc.constant(ApiKeyState.Unknown())
)

interface Taken {
  readonly before: ApiKeyState
  readonly event: ApiKeyEvent
  readonly after: ApiKeyState
  readonly answer: ReturnType<typeof step>[1]
}

/** The law holds for every step of every history of every key. */
const law = (rule: string, says: string, holds: (taken: Taken) => void): void => {
  test(`[${rule}] ${says}`, () => {
    fc.assert(
      fc.property(anyKey, fc.array(anyEvent, { maxLength: 60 }), (key, history) => {
        let state = key
        for (const event of history) {
          const [after, answer] = step(state, event)
          holds({ before: state, event, after, answer })
          state = after
        }
      }),
      { numRuns: 300 }
    )
  })
}

const lastUsedOf = (state: ApiKeyState): number | null =>
  state._tag === "Active" ? state.lastUsedMs : null

law("D-18", "a refusal leaves the very same state", ({ before, after, answer }) => {
  if (answer !== "granted" && answer !== "revoked") expect(after).toBe(before)
})

law("state.key.delete-revoked", "a revoked key stays as it is for ever", ({ before, after }) => {
  if (before._tag === "Revoked") expect(after).toBe(before)
})

law("state.key.revoked-401", "only an active key is granted a use", ({ before, answer }) => {
  if (answer === "granted") expect(before._tag).toBe("Active")
})

law("state.key.post-active", "only a revocation ends a key", ({ before, event, after }) => {
  if (before._tag !== "Active" || after._tag === "Active") return
  expect([after._tag, event._tag, event.projectId]).toEqual(["Revoked", "RevokeAsked", own])
})

law("keys.never-expire", "no moment changes the answer", ({ before, event, answer }) => {
  for (const moment of [0, 1, Number.MAX_SAFE_INTEGER]) {
    expect(step(before, { ...event, nowMs: moment })[1]).toBe(answer)
  }
})

law("keys.row.lastUsed", "lastUsed moves by granted uses alone", ({ before, after, answer }) => {
  if (after._tag === "Active" && lastUsedOf(after) !== lastUsedOf(before)) {
    expect(answer).toBe("granted")
  }
})

law("D-18", "lastUsed moves by a minute or more, to the moment of the use", (taken) => {
  const { before, event, after } = taken
  const [from, to] = [lastUsedOf(before), lastUsedOf(after)]
  if (after._tag !== "Active" || to === null || to === from) return
  expect(to).toBe(event.nowMs)
  if (from !== null) expect(to - from).toBeGreaterThanOrEqual(KeyLimits.keyUseWrites.ms)
})

law("auth.key.lastUsed-shows-use", "a granted use is less than a minute from lastUsed", (taken) => {
  const { event, after, answer } = taken
  if (answer !== "granted") return
  expect(event.nowMs - (lastUsedOf(after) ?? -Infinity)).toBeLessThan(KeyLimits.keyUseWrites.ms)
})

law("auth.key.other-vs-nonexistent-identical", "all other projects get one answer", (taken) => {
  const { before, event } = taken
  if (event._tag !== "UseAsked" || event.projectId === own) return
  const answers = ["p_fedcba9876543210", "p_0000000000000000", "x"].flatMap((other) =>
    Scopes.map((each) => step(before, { ...event, projectId: other, scope: each })[1])
  )
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toBe(before._tag === "Active" ? "E_NOT_FOUND" : "E_UNAUTHENTICATED")
})

law("scope.write-implies-read", "who may write may read", ({ before, event, answer }) => {
  if (event._tag !== "UseAsked" || event.scope !== "rooms:write" || answer !== "granted") return
  expect(step(before, { ...event, scope: "rooms:read" })[1]).toBe("granted")
})
