import { defineRoom, RpcError, type Room, type RoomClient } from "@atrium/sdk/room"
import { s } from "@atrium/sdk/schema"

import { fits, isSame, SeatsMax, Suits, WinsMax } from "./Rules.ts"
import { card, cards } from "./schema.ts"

const HandCards = 5
const TurnMs = 30_000
const PauseMs = 8000
/** The greatest number that the state holds of a player's wins. */
const WonMax = 65_535

// The deck is stored with the room and sent to no client. A variable of this module would be lost when the room sleeps.
const hidden = {
  singletons: { deck: { cards: s.list(card, 52), played: s.list(card, 52) } }
}

type Table = Room<typeof cards, typeof hidden>
type Seat = NonNullable<ReturnType<Table["state"]["seats"]["get"]>>
type Card =
  Table["state"]["hands"] extends Iterable<{ readonly cards: ReadonlyArray<infer C> }> ? C : never

export const cardsRoom = defineRoom(cards, {
  hidden,
  visible: { hands: { to: "owner" } },

  rpc: {
    sit(room, { playerId }) {
      const { seats, hands, table } = room.state
      if (seatOf(room, playerId) !== undefined) return {}
      if (seats.size === SeatsMax)
        throw new RpcError("E_SEATS_TAKEN", "four are playing: watch them")
      seats.add({ playerId })
      hands.add({ owner: playerId })
      // A player who sits down during a round gets cards when the next round begins.
      if (table.phase === "waiting" && seats.size > 1) deal(room)
      return {}
    },

    play(room, client, { card: played }) {
      const { table } = room.state
      const seat = demandTurn(room, client)
      const hand = handOf(room, seat)
      const at = hand.cards.findIndex((each) => isSame(each, played))
      if (at < 0) throw new RpcError("E_NO_SUCH_CARD", "the card is not in your hand")
      if (!fits(played, table.top))
        throw new RpcError("E_DOES_NOT_FIT", "play its suit or its rank")
      const { deck } = room.hidden
      if (table.top !== undefined) deck.played = [...deck.played, table.top]
      table.top = played
      take(seat, hand, hand.cards.toSpliced(at, 1))
      if (seat.cards > 0) return nextTurn(room)
      countWin(room, seat)
      Object.assign(table, { phase: "over", winner: seat.playerId })
      room.alarm.clear("turn")
      room.after("round", PauseMs)
      return {}
    },

    draw(room, client) {
      drawOne(room, demandTurn(room, client))
      return nextTurn(room)
    }
  },

  // The alarms `turn` and `round` go off even if the room sleeps, crashes or moves to a new version before.
  onAlarm(room, name) {
    const { seats, hands, table } = room.state
    const isHere = (playerId: string): boolean =>
      [...room.clients].some((client) => client.playerId === playerId)
    if (name === "turn" && [...seats].some(({ playerId }) => isHere(playerId))) {
      const seat = seats.get(table.turn)
      if (seat !== undefined) drawOne(room, seat)
      return void nextTurn(room)
    }
    // The round is over, or all players have gone while it went on.
    for (const seat of Array.from(seats)) {
      if (isHere(seat.playerId)) continue
      hands.remove(handOf(room, seat).id)
      seats.remove(seat.id)
    }
    if (seats.size > 1) deal(room)
    else stop(room)
  },

  // While a round goes on, the seat waits for its player.
  onLeave(room, { playerId }) {
    const seat = seatOf(room, playerId)
    if (seat === undefined || room.state.table.phase !== "waiting") return
    room.state.hands.remove(handOf(room, seat).id)
    room.state.seats.remove(seat.id)
  }
})

const deal = (room: Table): void => {
  const { seats, table } = room.state
  const cardsOf = Suits.flatMap((suit) =>
    Array.from({ length: 13 }, (_, at): Card => ({ suit, rank: at + 1 }))
  )
  const deck = shuffled(room, cardsOf)
  for (const seat of seats) take(seat, handOf(room, seat), deck.splice(0, HandCards))
  const [top, ...left] = deck
  room.hidden.deck.cards = left
  room.hidden.deck.played = []
  table.top = top
  table.left = left.length
  Object.assign(table, { phase: "playing", winner: "" })
  nextTurn(room)
}

/** Nobody plays: what was dealt is taken back. */
const stop = (room: Table): void => {
  const { seats, table } = room.state
  for (const seat of seats) take(seat, handOf(room, seat), [])
  table.top = undefined
  Object.assign(table, { phase: "waiting", turn: 0, left: 0, winner: "" })
}

const nextTurn = (room: Table): {} => {
  const { seats, table } = room.state
  const ids = [...seats].filter(({ cards: count }) => count > 0).map(({ id }) => id)
  table.turn = ids.find((id) => id > table.turn) ?? ids[0] ?? 0
  table.turnEndsAtMs = room.clock.nowMs() + TurnMs
  room.after("turn", TurnMs)
  return {}
}

/** Gives a player the next card of the deck. The player gets none while all cards are in hands. */
const drawOne = (room: Table, seat: Seat): void => {
  const { deck } = room.hidden
  if (deck.cards.length === 0) {
    deck.cards = shuffled(room, deck.played)
    deck.played = []
  }
  const [drawn, ...left] = deck.cards
  if (drawn === undefined) return
  deck.cards = left
  room.state.table.left = left.length
  const hand = handOf(room, seat)
  take(seat, hand, [...hand.cards, drawn])
}

/** Says what a player holds: the cards to the owner, their number to everybody. */
const take = (
  seat: Seat,
  hand: { cards: ReadonlyArray<Card> },
  held: ReadonlyArray<Card>
): void => {
  hand.cards = held
  seat.cards = held.length
}

/** Counts a won round. A full table forgets the player who has not won for the longest time. */
const countWin = ({ state }: Table, { playerId }: Seat): void => {
  const { wins } = state.table
  const won = wins.get(playerId) ?? 0
  wins.delete(playerId)
  const [first] = wins.keys()
  if (first !== undefined && wins.size === WinsMax) wins.delete(first)
  wins.set(playerId, Math.min(won + 1, WonMax))
}

const shuffled = (room: Table, of: ReadonlyArray<Card>): Array<Card> =>
  of
    .map((each) => ({ each, at: room.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ each }) => each)

const seatOf = (room: Table, playerId: string): Seat | undefined =>
  [...room.state.seats].find((seat) => seat.playerId === playerId)

const handOf = (room: Table, { playerId }: Seat) =>
  [...room.state.hands].find(({ owner }) => owner === playerId) ??
  room.state.hands.add({ owner: playerId })

const demandTurn = (room: Table, { playerId }: RoomClient<typeof cards>): Seat => {
  const { table } = room.state
  const seat = seatOf(room, playerId)
  if (seat === undefined) throw new RpcError("E_NOT_SEATED", "sit down first")
  if (table.phase !== "playing") throw new RpcError("E_NO_ROUND", "no round goes on")
  if (table.turn !== seat.id) throw new RpcError("E_NOT_YOUR_TURN", "somebody else is to play")
  return seat
}
