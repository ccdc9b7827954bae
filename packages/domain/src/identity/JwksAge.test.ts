import { expect, test } from "vitest"

import { IdentityLimits } from "./IdentityLimits.ts"
import { jwksStep } from "./JwksAge.ts"

const { jwksKept, jwksPause, jwksStale } = IdentityLimits
const now = 10_000_000_000
const read = (agoMs: number, triedMs = agoMs) => ({
  readAtMs: now - agoMs,
  triedAtMs: now - triedMs
})

const cases = {
  "nothing is known yet": [{ readAtMs: null, triedAtMs: null }, false, "read"],
  "the last reading has just failed": [{ readAtMs: null, triedAtMs: now - 1 }, false, "refuse"],
  "the pause is over": [{ readAtMs: null, triedAtMs: now - jwksPause.ms }, false, "read"],
  "the key is known": [read(jwksKept.ms - 1), true, "take"],
  "the keys are as old as they may be": [read(jwksKept.ms), true, "read"],
  "the keys are old, and the address does not answer": [read(jwksKept.ms, 1), true, "take"],
  "the keys are too old for that": [read(jwksStale.ms, 1), true, "refuse"],
  "the keys are almost too old for that": [read(jwksStale.ms - 1, 1), true, "take"],
  "a stranger names a key within the pause": [read(jwksPause.ms - 1), false, "take"],
  "an unknown key after the pause may be new": [read(jwksPause.ms), false, "read"]
} as const

test.each(Object.entries(cases))(
  "[limits.jwksKept] [limits.jwksPause] [limits.jwksStale] %s",
  (_, [readings, hasKey, step]) => expect(jwksStep(readings, { nowMs: now, hasKey })).toBe(step)
)
