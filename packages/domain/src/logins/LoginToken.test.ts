import { expect, test } from "vitest"

import { LoginLimits } from "./LoginLimits.ts"
import { endsAtLogout, expiryAfterUseMs, firstExpiryMs, isUseWritten } from "./LoginToken.ts"

const nowMs = 1_700_000_000_000
const dayMs = 86_400_000

test.each([
  ["account", null],
  ["cli", nowMs + 90 * dayMs],
  ["session", nowMs + 30 * dayMs]
] as const)("[D-23] a new %s login ends at %s", (kind, expiresAtMs) => {
  expect(firstExpiryMs(kind, nowMs)).toBe(expiresAtMs)
})

test.each([
  ["account", null, null],
  ["cli", nowMs + 1, nowMs + 90 * dayMs],
  ["session", nowMs + 1, nowMs + 1]
] as const)("[D-23] a used %s login that ended at %s ends at %s", (kind, expiresAtMs, after) => {
  expect(expiryAfterUseMs({ kind, expiresAtMs }, nowMs)).toBe(after)
})

test("[D-23] a use is written when it is the first, or a minute after the last written one", () => {
  expect(isUseWritten(null, nowMs)).toBe(true)
  expect(isUseWritten(nowMs - LoginLimits.loginUseWrites.ms + 1, nowMs)).toBe(false)
  expect(isUseWritten(nowMs - LoginLimits.loginUseWrites.ms, nowMs)).toBe(true)
  // A clock that was set back writes nothing.
  expect(isUseWritten(nowMs + 1, nowMs)).toBe(false)
})

test("[C-65] a logout ends sessions and CLI tokens, not the way back into the account", () => {
  expect([endsAtLogout("session"), endsAtLogout("cli"), endsAtLogout("account")]).toEqual([
    true,
    true,
    false
  ])
})
