import { expect, it } from "vitest"

import { changedRoom } from "./ChangedRoom.ts"

it.each([
  { before: null, retention: "", listed: "", body: {} },
  { before: null, retention: " 30d ", listed: "", body: { retention: "30d" } },
  { before: "30d", retention: "30d", listed: "", body: {} },
  { before: "30d", retention: " ", listed: "false", body: { retention: null, public: false } },
  { before: "30d", retention: "soon", listed: "true", body: { retention: "soon", public: true } }
])("[C-809] sends what has changed: $body", ({ before, body, ...typed }) => {
  expect(changedRoom({ retentionOverride: before }, typed)).toEqual(body)
})
