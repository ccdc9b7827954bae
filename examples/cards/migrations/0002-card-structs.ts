import { defineMigration } from "@atrium/sdk/migration"

// #region Schemas. `atrium migrate create` writes this part anew when they change before the deploy.

/** The schemas between which it goes. */
const schemas = {
  cards: { from: "d07e808dd760d253", to: "59ba8f722a0d2b40" }
} as const

/** The state of cards in version 1. */
interface CardsV1 {
  readonly table: {
    readonly phase: "waiting" | "playing" | "over"
    readonly turn: number
    readonly turnEndsAtMs: number
    readonly top: number
    readonly left: number
    readonly winner: string
  }
  readonly deck: {
    readonly cards: ReadonlyArray<number>
    readonly played: ReadonlyArray<number>
  }
  readonly seats: ReadonlyArray<{
    readonly id: number
    readonly playerId: string
    readonly cards: number
    readonly wins: number
  }>
  readonly hands: ReadonlyArray<{
    readonly id: number
    readonly owner: string
    readonly cards: ReadonlyArray<number>
  }>
}

/** The same in the next version; a record without an id gets the next one. */
interface CardsV2 {
  readonly table: {
    readonly phase: "waiting" | "playing" | "over"
    readonly turn: number
    readonly turnEndsAtMs: number
    readonly top?:
      | { readonly suit: "clubs" | "diamonds" | "hearts" | "spades"; readonly rank: number }
      | undefined
    readonly left: number
    readonly winner: string
    readonly wins: ReadonlyMap<string, number>
  }
  readonly deck: {
    readonly cards: ReadonlyArray<{
      readonly suit: "clubs" | "diamonds" | "hearts" | "spades"
      readonly rank: number
    }>
    readonly played: ReadonlyArray<{
      readonly suit: "clubs" | "diamonds" | "hearts" | "spades"
      readonly rank: number
    }>
  }
  readonly seats: ReadonlyArray<{
    readonly id?: number
    readonly playerId: string
    readonly cards: number
  }>
  readonly hands: ReadonlyArray<{
    readonly id?: number
    readonly owner: string
    readonly cards: ReadonlyArray<{
      readonly suit: "clubs" | "diamonds" | "hearts" | "spades"
      readonly rank: number
    }>
  }>
}

// #endregion

// The functions are pure: they know neither time nor chance, and what they get is frozen.
export const migration = defineMigration({
  rooms: {
    cards: {
      ...schemas.cards,
      migrate: (old: CardsV1): CardsV2 => ({
        table: {
          phase: old.table.phase,
          turn: old.table.turn,
          turnEndsAtMs: old.table.turnEndsAtMs,
          // Version 1 had a number also where no card lay.
          top: old.table.phase === "waiting" ? undefined : cardOf(old.table.top),
          left: old.table.left,
          winner: old.table.winner,
          wins: new Map(
            old.seats.filter(({ wins }) => wins > 0).map((seat) => [seat.playerId, seat.wins])
          )
        },
        deck: { cards: old.deck.cards.map(cardOf), played: old.deck.played.map(cardOf) },
        seats: old.seats.map(({ id, playerId, cards }) => ({ id, playerId, cards })),
        hands: old.hands.map((hand) => ({ ...hand, cards: hand.cards.map(cardOf) }))
      }),
      // The wins of players who have left are lost on the way back: version 1 has no place for them.
      back: (now: CardsV2): CardsV1 => ({
        table: {
          phase: now.table.phase,
          turn: now.table.turn,
          turnEndsAtMs: now.table.turnEndsAtMs,
          top: now.table.top === undefined ? 0 : numberOf(now.table.top),
          left: now.table.left,
          winner: now.table.winner
        },
        deck: { cards: now.deck.cards.map(numberOf), played: now.deck.played.map(numberOf) },
        seats: now.seats.map(({ id = 0, playerId, cards }) => {
          const wins = now.table.wins.get(playerId) ?? 0
          return { id, playerId, cards, wins }
        }),
        hands: now.hands.map(({ id = 0, owner, cards }) => ({
          id,
          owner,
          cards: cards.map(numberOf)
        }))
      })
    }
  }
})

type Card = CardsV2["deck"]["cards"][number]

const Suits = ["clubs", "diamonds", "hearts", "spades"] as const

/** Version 1 numbered the cards of each suit from the ace, suit after suit. */
const cardOf = (number: number): Card => ({
  suit: Suits[Math.floor(number / 13)] ?? "clubs",
  rank: (number % 13) + 1
})

const numberOf = ({ suit, rank }: Card): number => 13 * Suits.indexOf(suit) + rank - 1
