import { describe, expect, it } from "vitest"

import { entryBar, isInert, isPlaygroundId } from "./InertRoom.ts"

const game = "p_0123456789abcdef"
const rows = [
  [game, "arena", false, false],
  [game, "arena", true, true],
  [game, "playground-0123abcd", false, true],
  ["dev", "arena", false, false],
  ["dev", "arena", true, true],
  ["dev", "playground-0123abcd", false, false]
] as const

describe("a room for trying", () => {
  it.each(rows)(
    "[D-58] [D-60] %s/%s, branch %j: inert %j, and whom it lets in",
    (...[projectId, roomId, isBranch, inert]) => {
      const room = { projectId, roomId, isBranch }
      expect(isInert(room)).toBe(inert)
      expect(entryBar(room, false) === null).toBe(!inert)
      expect(entryBar(room, true) === null).toBe(inert || projectId === "dev")
    }
  )

  it("[D-60] the playground's ids have exactly one form", () => {
    expect(isPlaygroundId("playground-0123abcd")).toBe(true)
    for (const id of [
      "playground",
      "playground-0123abc",
      "playground-0123abcde",
      "playground-0123ABCD"
    ])
      expect(isPlaygroundId(id)).toBe(false)
  })
})
