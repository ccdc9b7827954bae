import { describe, expect, test } from "vitest"

import { readFault, reportFault, type ReportPayload } from "./RatingCall.ts"

const players = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `player ${index + 1}`)
const placed = (count: number) =>
  players(count).map((player, index) => ({ player, place: Math.min(index + 1, 64) }))
const faultOf = (part: Partial<ReportPayload>): string | null =>
  reportFault({ id: "game 1", queue: null, results: placed(2), ...part })
const ofPlace = (place: number) =>
  faultOf({
    results: [
      { player: "ann", place },
      { player: "bob", place: 1 }
    ]
  })
const ofPlayer = (player: string) =>
  faultOf({
    results: [
      { player, place: 1 },
      { player: "bob", place: 2 }
    ]
  })

describe("a report", () => {
  test.each<[id: string, fault: string | null, expected: string | null]>([
    ["rating.report.players", faultOf({ results: placed(2) }), null],
    ["rating.report.players", faultOf({ results: placed(64) }), null],
    ["rating.report.players", faultOf({ results: [] }), "results: must be 2 to 64 players, not 0"],
    [
      "rating.report.players",
      faultOf({ results: placed(1) }),
      "results: must be 2 to 64 players, not 1"
    ],
    [
      "rating.report.players",
      faultOf({ results: placed(65) }),
      "results: must be 2 to 64 players, not 65"
    ],
    ["rating.place", ofPlace(1), null],
    ["rating.place", ofPlace(64), null],
    ["rating.place", ofPlace(0), "results.0.place: must be a whole number from 1 to 64"],
    ["rating.place", ofPlace(65), "results.0.place: must be a whole number from 1 to 64"],
    ["rating.place", ofPlace(1.5), "results.0.place: must be a whole number from 1 to 64"],
    ["rating.place", ofPlace(Number.NaN), "results.0.place: must be a whole number from 1 to 64"],
    ["limits.playerIdBytes", ofPlayer("é".repeat(128)), null],
    [
      "limits.playerIdBytes",
      ofPlayer(`${"é".repeat(128)}x`),
      "results.0.player: must be a player id of 1 to 256 bytes"
    ],
    ["C-594", ofPlayer(""), "results.0.player: must be a player id of 1 to 256 bytes"],
    ["C-594", ofPlayer("a\0b"), "results.0.player: must be a player id of 1 to 256 bytes"],
    ["C-594", ofPlayer("bob"), "results.1: the player is there twice"],
    ["limits.ratingReportIdBytes", faultOf({ id: "é".repeat(64) }), null],
    [
      "limits.ratingReportIdBytes",
      faultOf({ id: `${"é".repeat(64)}x` }),
      "id: must be 1 to 128 bytes of text"
    ],
    ["C-593", faultOf({ id: "" }), "id: must be 1 to 128 bytes of text"],
    ["match.queue-name.length", faultOf({ queue: "q".repeat(32) }), null],
    [
      "match.queue-name.length",
      faultOf({ queue: "q".repeat(33) }),
      "queue: must be 1 to 32 of a-z 0-9 . _ -"
    ],
    ["C-595", faultOf({ queue: "Duo" }), "queue: must be 1 to 32 of a-z 0-9 . _ -"]
  ])("[%s] %#: what is wrong is named", (_, fault, expected) => {
    expect(fault).toBe(expected)
  })
})

test("[limits.ratingsRead] a read is of 1 to 64 players, each once", () => {
  const ofPlayers = (count: number) => readFault({ queue: null, players: players(count) })
  expect([ofPlayers(1), ofPlayers(64)]).toEqual([null, null])
  expect([ofPlayers(0), ofPlayers(65)]).toEqual([
    "players: must be 1 to 64 players, not 0",
    "players: must be 1 to 64 players, not 65"
  ])
  expect(readFault({ queue: null, players: ["ann", "ann"] })).toBe(
    "players.1: the player is there twice"
  )
})
