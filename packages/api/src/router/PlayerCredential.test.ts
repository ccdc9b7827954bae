import { TestPlayerLimits } from "@atrium/domain/testPlayers/TestPlayerLimits"
import { expect, it } from "vitest"

import { playerOf, type Signer } from "./PlayerCredential.ts"

const nowMs = 1_700_000_000_123
const endsMs = nowMs + TestPlayerLimits.testTokenLife.ms
const claims = {
  iss: "p_0123456789abcdef",
  sub: "pl_test_0123456789abcdef",
  room: "lobby",
  test: true,
  iat: nowMs / 1000,
  exp: endsMs / 1000
}
const read = (atMs: number, signer: Signer = "test", roomId = "lobby") =>
  playerOf({ claims, signer, roomId, nowMs: atMs })

it("[D-60] [limits.testTokenLife] a test player's credential opens one room, until its end to the millisecond", () => {
  expect(TestPlayerLimits.testTokenLife.ms).toBe(15 * 60_000)
  const player = { playerId: claims.sub, name: null, role: "player", match: null, test: true }
  expect(read(endsMs - 1)).toEqual(player)
  expect(read(endsMs)).toBe("unauthenticated")
  expect(read(nowMs, "test", "lobby-2")).toBe("mismatch")
})

it("[D-60] the claim `test` counts for nothing in a credential that a game signs", () => {
  expect(read(nowMs, 1)).toMatchObject({ test: false })
})
