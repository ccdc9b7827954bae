import { expect, test } from "vitest"

import { isWorthWaiting } from "./SendWindow.ts"

test("[C-60] frames of a room that gets few of them do not wait", () => {
  expect([0, 9, 10, 1000].map(isWorthWaiting)).toEqual([false, false, true, true])
})
