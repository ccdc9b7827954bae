import { expect, test } from "vitest"

import { progressText } from "./ProgressScreen.ts"

test("[sim.plan] progress says what is done and how long the rest takes", () => {
  const third = { doing: "run 2 of 3", done: 0.25 }
  expect(progressText(third, 20_000)).toBe("run 2 of 3, 25% done, 60 s left")
})
