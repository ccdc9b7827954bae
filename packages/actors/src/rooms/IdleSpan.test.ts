import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { expect, test } from "vitest"

import { idleSpanMs } from "./IdleSpan.ts"

const spans = { hibernateAfterMs: 3_000, reconnectForMs: 8_000 }

test.each([
  ["waits for its first client", { since: "started", relay: false, entered: false }, 3_000],
  [
    "waits for its first client as long as a join takes, without code",
    { since: "started", relay: true, entered: false },
    RuntimeLimits.roomJoin.ms
  ],
  [
    "waits for nobody when it refused its first client",
    { since: "left", relay: false, entered: false },
    0
  ],
  [
    "waits for nobody when it refused its first client, without code",
    { since: "left", relay: true, entered: false },
    0
  ],
  [
    "sleeps after its span when the last client left",
    { since: "left", relay: false, entered: true },
    3_000
  ],
  [
    "keeps the session of a client that dropped",
    { since: "dropped", relay: false, entered: true },
    8_000
  ]
] as const)("[C-224] [C-17] an empty room %s", (_, emptiness, ms) => {
  expect(idleSpanMs(spans, emptiness)).toBe(ms)
})

test("[C-17] a span to hibernate that is longer than the session's holds", () => {
  const dropped = { since: "dropped", relay: false, entered: true } as const
  expect(idleSpanMs({ hibernateAfterMs: 9_000, reconnectForMs: 8_000 }, dropped)).toBe(9_000)
})
