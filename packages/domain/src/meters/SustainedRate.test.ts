import { expect, test } from "vitest"

import { belowRate, defaultSustainedBytes, sustain, type SustainedState } from "./SustainedRate.ts"

const perSecond = 10 * 1024 * 1024

/** Sends so many bytes in each of so many seconds. */
const seconds = (count: number, bytes: number, from = belowRate): SustainedState => {
  let state = from
  for (let second = 0; second < count; second++) {
    state = sustain(state, { bytes, spanMs: 1000 }, perSecond)
  }
  return state
}

test("[D-39] the sustained rate is 10 MiB a second", () => {
  expect(defaultSustainedBytes).toBe(perSecond)
})

test("[caps.dataout.sustained] a server at the rate is never limited", () => {
  expect(seconds(1000, perSecond)).toEqual(belowRate)
})

test("[caps.dataout.sustained] a server over the rate is limited after ten seconds, and not before", () => {
  expect(seconds(9, perSecond + 1)).toEqual({ overForMs: 9000, limited: false })
  expect(seconds(10, perSecond + 1)).toEqual({ overForMs: 10_000, limited: true })
})

test("[caps.dataout.sustained] a second at the rate begins the ten seconds anew, and ends the limit", () => {
  const pause = seconds(1, perSecond, seconds(9, 2 * perSecond))
  expect(seconds(9, 2 * perSecond, pause).limited).toBe(false)
  expect(seconds(1, perSecond, seconds(20, 2 * perSecond))).toEqual(belowRate)
})

test("[caps.dataout.sustained] the span of a look counts, however long it was", () => {
  const late = sustain(belowRate, { bytes: 12 * perSecond, spanMs: 12_000 }, perSecond)
  expect(late).toEqual(belowRate)
  const over = sustain(belowRate, { bytes: 12 * perSecond + 1, spanMs: 12_000 }, perSecond)
  expect(over).toEqual({ overForMs: 12_000, limited: true })
})
