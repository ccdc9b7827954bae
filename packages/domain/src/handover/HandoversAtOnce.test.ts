import { expect, test } from "vitest"

import { HandoverLimits } from "./HandoverLimits.ts"
import { handoversAtOnce } from "./HandoversAtOnce.ts"

test("[C-416] few rooms leave two at once, many as many as the limit allows", () => {
  const { max } = HandoverLimits.handoverAtOnce
  expect([0, 50, 51].map(handoversAtOnce)).toEqual([2, 2, 3])
  expect([25 * (max - 1), 25 * max, 10_000].map(handoversAtOnce)).toEqual([max - 1, max, max])
})
