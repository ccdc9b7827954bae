import { expect, test } from "vitest"

import { innermostReason } from "./Innermost.ts"

test("[C-214] the innermost error says the reason", () => {
  const refused = new Error("connection refused")
  const failed = new Error("fetch failed", { cause: refused })
  expect(innermostReason(new Error("no answer", { cause: failed }))).toBe("connection refused")
})

test("[C-214] an error whose cause is no error says the reason itself", () => {
  expect(innermostReason(new Error("no answer", { cause: "refused" }))).toBe("no answer")
  expect(innermostReason("refused")).toBe("refused")
})
