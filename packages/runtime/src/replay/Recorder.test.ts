import { expect, test } from "vitest"

import { Recorder } from "./Recorder.ts"
import type { Footage } from "./ReplayRing.ts"

test("[C-830] a chunk that ends while a recording takes it is cut once, though time passes meanwhile", async () => {
  let nowMs = 1000
  const added: Array<Footage> = []
  const identity = (bytes: Uint8Array) => Promise.resolve(bytes)
  const recorder: Recorder = new Recorder(60_000, {
    publicView: { tick: () => 0, encodeFull: () => new Uint8Array([1]) },
    compression: { compress: identity, decompress: identity },
    // Each look at the clock is a millisecond later.
    nowMs: () => (nowMs += 1),
    settle: () => recorder.settled(),
    touch: () => {},
    warn: () => {},
    added: (chunk) => added.push(chunk),
    disarmed: () => {}
  })
  recorder.settled()
  nowMs += 5000
  const next = recorder.cut()
  await recorder.compressed
  expect(added.map(({ number }) => number)).toEqual([1])
  expect(next).toBe(2)
  expect(recorder.cut()).toBe(3)
})
