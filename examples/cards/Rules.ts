/** A card, as room and page have it; `undefined` = a suit that this page is too old to know. */
export interface Card {
  readonly suit: (typeof Suits)[number] | undefined
  readonly rank: number
}

/** How many play at a table. */
export const SeatsMax = 4

/** How many players a table remembers the wins of. */
export const WinsMax = 64

export const Suits = ["clubs", "diamonds", "hearts", "spades"] as const

/** Whether a card may be played on another one. */
export const fits = (card: Card, top: Card | undefined): boolean =>
  top === undefined || card.suit === top.suit || card.rank === top.rank

export const isSame = (a: Card, b: Card): boolean => a.suit === b.suit && a.rank === b.rank
