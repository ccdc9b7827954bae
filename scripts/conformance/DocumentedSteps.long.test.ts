import { expect, test } from "vitest"

import { longStep, reader, steps } from "./DocumentedSteps.ts"

// `npm test` asks the same rows in `scripts/conformance.test.ts`, of a service in test mode.

test("[conformance.docs] all of tier A ends as the page says", { timeout: 300_000 }, async () => {
  const at = await reader()
  try {
    const [ended, output] = await at.follow(longStep)
    expect(ended, output).toBe(new Map(steps).get(longStep))
  } finally {
    await at.leave()
  }
})
