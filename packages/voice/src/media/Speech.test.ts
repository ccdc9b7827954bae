import { expect, test } from "vitest"

import { Speech } from "./Speech.ts"

/** Packets of a level, one each 20 ms, from a moment on. @returns when the next one comes */
const packets = (speech: Speech, level: number, { fromMs = 0, count = 50 } = {}): number => {
  for (let at = 0; at < count; at++) speech.heard(level, fromMs + 20 * at)
  return fromMs + 20 * count
}

test.each([
  [0, true],
  [54, true],
  [55, false],
  [127, false]
])("[C-893] a packet at -%i dB is speech: %s", (level, isSpeech) => {
  const speech = new Speech()
  expect([speech.heard(level, 0), speech.speaks]).toEqual([isSpeech, isSpeech])
})

test("[C-893] a pause of up to 400 ms is a part of what is said, one more ends it", () => {
  const speech = new Speech()
  packets(speech, 20, { count: 1 })
  expect([speech.heard(127, 400), speech.speaks]).toEqual([false, true])
  expect([speech.heard(127, 401), speech.speaks]).toEqual([true, false])
  expect([speech.spurt, speech.heard(20, 500), speech.spurt]).toEqual([1, true, 2])
})

test("[C-893] a speaker whose packets stop ceases to speak", () => {
  const speech = new Speech()
  const endMs = packets(speech, 20)
  expect([speech.ceased(endMs + 300), speech.speaks]).toEqual([false, true])
  expect([speech.ceased(endMs + 401), speech.speaks]).toEqual([true, false])
  expect(speech.ceased(endMs + 5000)).toBe(false)
})

test("[C-893] who speaks louder for a while is louder, and one click is not", () => {
  const [loud, quiet, click] = [new Speech(), new Speech(), new Speech()]
  packets(loud, 10)
  packets(quiet, 40)
  packets(click, 50)
  click.heard(0, 1000)
  expect(loud.loudness).toBeGreaterThan(quiet.loudness)
  expect(quiet.loudness).toBeGreaterThan(click.loudness)
})
