import { schemaHash } from "@atrium/sdk/schema"
import { expect, test } from "vitest"

import { migration } from "./migrations/0002-card-structs.ts"
import { cardsRoom } from "./room.ts"
import { cards } from "./schema.ts"

const first = {
  table: { phase: "playing", turn: 2, turnEndsAtMs: 5, top: 35, left: 3, winner: "" },
  deck: { cards: [1, 14, 51], played: [0] },
  seats: [
    { id: 1, playerId: "ann", cards: 1, wins: 0 },
    { id: 2, playerId: "bob", cards: 2, wins: 3 }
  ],
  hands: [
    { id: 1, owner: "ann", cards: [13] },
    { id: 2, owner: "bob", cards: [36, 50] }
  ]
}

/** The functions of the migration; their types are those of the stored states. */
const change = Object(migration.rooms?.["cards"])

test("[example.cards] the migration makes structs of the numbers and a map of the wins, and leads back", () => {
  const second = change.migrate(first)
  expect(second).toEqual({
    table: {
      phase: "playing",
      turn: 2,
      turnEndsAtMs: 5,
      top: { suit: "hearts", rank: 10 },
      left: 3,
      winner: "",
      wins: new Map([["bob", 3]])
    },
    deck: {
      cards: [
        { suit: "clubs", rank: 2 },
        { suit: "diamonds", rank: 2 },
        { suit: "spades", rank: 13 }
      ],
      played: [{ suit: "clubs", rank: 1 }]
    },
    seats: [
      { id: 1, playerId: "ann", cards: 1 },
      { id: 2, playerId: "bob", cards: 2 }
    ],
    hands: [
      { id: 1, owner: "ann", cards: [{ suit: "diamonds", rank: 1 }] },
      {
        id: 2,
        owner: "bob",
        cards: [
          { suit: "hearts", rank: 11 },
          { suit: "spades", rank: 12 }
        ]
      }
    ]
  })
  expect(change.back(second)).toEqual(first)
})

test("[example.cards] the migration leads a table without a round to one without a card", () => {
  const idle = { ...first, table: { ...first.table, phase: "waiting", top: 0 } }
  expect(change.migrate(idle).table.top).toBeUndefined()
  expect(change.back(change.migrate(idle))).toEqual(idle)
})

test("[example.cards] the migration leads to the schema of the room as it is", () => {
  expect(change.to).toBe(schemaHash(cardsRoom.stored ?? cards))
})
