import { expect, it } from "vitest"

import { countText } from "./Numbers.ts"

it("[C-762] counts have their thousands apart", () => {
  expect([0, 999, 12_480, 1_000_000].map(countText)).toEqual(["0", "999", "12,480", "1,000,000"])
})
