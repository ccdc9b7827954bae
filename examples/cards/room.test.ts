import { RequestError, type ClientRoom } from "@atrium/sdk/client"
import { RoomHarness } from "@atrium/sdk/testing"
import { beforeEach, expect, test } from "vitest"

import { cardsRoom } from "./room.ts"
import { type Card, fits, WinsMax } from "./Rules.ts"
import { cards } from "./schema.ts"

type Player = ClientRoom<typeof cards>

const TurnMs = 30_000
const PauseMs = 8000
// `sleepFor` loads it anew, as the service does: a deck in a variable would be lost.
const module = new URL("./room.ts", import.meta.url)

let harness: RoomHarness<typeof cards, {}>
let ann: Player
let bob: Player

const join = (playerId: string): Promise<Player> => harness.client({ playerId }).joinOrCreate(cards)

/** Ann and Bob begin a round at a table that remembers these wins. */
const begin = async (wins: Iterable<readonly [string, number]> = []): Promise<void> => {
  const handlers: typeof cardsRoom.handlers = {
    ...cardsRoom.handlers,
    onCreate: (room) => {
      for (const [playerId, won] of wins) room.state.table.wins.set(playerId, won)
    }
  }
  harness = new RoomHarness({ ...cardsRoom, handlers }, { module })
  ann = await join("ann")
  bob = await join("bob")
  await ann.request("sit", {})
  await bob.request("sit", {})
  await harness.advance(0)
}

beforeEach(() => begin())

const refusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "no refusal",
    (error: unknown) => (error instanceof RequestError ? error.code : String(error))
  )

const handOf = ({ state, playerId }: Player): ReadonlyArray<Card> =>
  [...state.hands].find(({ owner }) => owner === playerId)?.cards ?? []
const seatOf = ({ state, playerId }: Player) =>
  [...state.seats].find((seat) => seat.playerId === playerId)
/** The player whose turn it is, then the other one. */
const inTurn = (): readonly [Player, Player] =>
  ann.state.table.turn === seatOf(ann)?.id ? [ann, bob] : [bob, ann]

/** Plays the first card that fits, else draws. */
const playTurn = async (): Promise<void> => {
  const [player] = inTurn()
  const card = handOf(player).find((each) => fits(each, player.state.table.top))
  await (card?.suit === undefined
    ? player.request("draw", {})
    : player.request("play", { card: { ...card, suit: card.suit } }))
  await harness.advance(0)
}

const playRound = async (): Promise<void> => {
  for (let turns = 0; ann.state.table.phase === "playing"; turns += 1) {
    if (turns > 500) throw new Error("the round does not end")
    await playTurn()
  }
}

test("[example.cards] the second who sits begins the round: five cards each, one on the table, nobody sees another hand", () => {
  expect([handOf(ann).length, handOf(bob).length, ann.state.table.left]).toEqual([5, 5, 41])
  for (const [player, other] of [
    [ann, "bob"],
    [bob, "ann"]
  ] as const) {
    expect([...player.state.seats].map((seat) => seat.cards)).toEqual([5, 5])
    expect([...harness.as(player.playerId).hands].map(({ owner }) => owner)).toEqual([
      player.playerId
    ])
    expect(JSON.stringify(player.state.hands)).not.toContain(other)
  }
  const dealt = [...handOf(ann), ...handOf(bob), ann.state.table.top]
  expect(new Set(dealt.map((card) => JSON.stringify(card))).size).toBe(11)
})

test("[example.cards] each broken rule has its own refusal, and changes nothing", async () => {
  const [player, other] = inTurn()
  const [eve, fay, gus] = [await join("eve"), await join("fay"), await join("gus")]
  await eve.request("sit", {})
  await fay.request("sit", {})
  await harness.advance(0)
  const { top } = player.state.table
  const before = player.stateHash()
  const [own] = handOf(other)
  const wrong = handOf(player).find((card) => !fits(card, top))
  const play = (who: Player, card: Card | undefined) =>
    refusal(who.request("play", { card: { suit: card?.suit ?? "clubs", rank: card?.rank ?? 0 } }))
  expect(await refusal(gus.request("sit", {}))).toBe("E_SEATS_TAKEN")
  expect(await play(gus, own)).toBe("E_NOT_SEATED")
  expect(await play(other, own)).toBe("E_NOT_YOUR_TURN")
  expect(await play(player, own)).toBe("E_NO_SUCH_CARD")
  expect(await play(player, wrong)).toBe("E_DOES_NOT_FIT")
  await harness.advance(0)
  expect(player.stateHash()).toBe(before)

  await playRound()
  const after = player.stateHash()
  expect(await play(player, handOf(player)[0])).toBe("E_NO_ROUND")
  expect(await refusal(other.request("draw", {}))).toBe("E_NO_ROUND")
  await harness.advance(0)
  expect(player.stateHash()).toBe(after)
})

test("[example.cards] the first without cards wins the round, and the next one begins after a pause", async () => {
  await playRound()
  const { winner, wins } = ann.state.table
  expect(["ann", "bob"]).toContain(winner)
  expect([...wins]).toEqual([[winner, 1]])
  await harness.advance(PauseMs - 1)
  expect(ann.state.table.phase).toBe("over")
  await harness.advance(1)
  expect([ann.state.table.phase, handOf(ann).length, handOf(bob).length]).toEqual(["playing", 5, 5])
  expect(harness.logs).toEqual([])
})

test("[example.cards] a full table forgets the wins of the player who has not won for the longest time", async () => {
  const others = Array.from({ length: WinsMax - 2 }, (_, at) => [`player${at}`, 1] as const)
  const full = new Map([["ann", 1], ["bob", 2], ...others])
  await begin(full)
  await playRound()
  const { winner } = ann.state.table
  const rest = [...full].filter(([playerId]) => playerId !== winner)
  expect([...ann.state.table.wins]).toEqual([...rest, [winner, (full.get(winner) ?? 0) + 1]])

  await begin([["eve", 1], ["fay", 1], ...others])
  await playRound()
  expect([...ann.state.table.wins]).toEqual([["fay", 1], ...others, [ann.state.table.winner, 1]])
  expect([ann.state.table.phase, harness.logs]).toEqual(["over", []])
})

test("[example.cards] a player with 65,535 wins can win again", async () => {
  const wins = [
    ["ann", 65_535],
    ["bob", 65_535]
  ] as const
  await begin(wins)
  await playRound()
  expect(new Map(ann.state.table.wins)).toEqual(new Map(wins))
  expect([ann.state.table.phase, harness.logs]).toEqual(["over", []])
})

test("[example.cards] a player who does not play in time draws a card, and the turn passes to the other player", async () => {
  const [late, next] = inTurn()
  await harness.advance(TurnMs - 1)
  expect(handOf(late)).toHaveLength(5)
  await harness.advance(1)
  expect([handOf(late).length, seatOf(late)?.cards, next.state.table.turn]).toEqual([
    6,
    6,
    seatOf(next)?.id
  ])
})

test("[example.cards] hands, deck and the running turn outlive a sleep", async () => {
  const before = [handOf(ann), handOf(bob), ann.state.table.top]
  const [late] = inTurn()
  await harness.sleepFor(1000)
  expect([handOf(ann), handOf(bob), ann.state.table.top]).toEqual(before)
  await late.request("draw", {})
  await harness.advance(0)
  expect([handOf(late).length, late.state.table.left]).toEqual([6, 40])
  const all = [...handOf(ann), ...handOf(bob), ann.state.table.top]
  expect(new Set(all.map((card) => JSON.stringify(card))).size).toBe(12)
})

test("[example.cards] a table that everybody has left is empty when the turn is over, and sleeps", async () => {
  await Promise.all([ann.leave(), bob.leave()])
  await harness.sleepFor(TurnMs)
  ann = await join("ann")
  expect([ann.state.table.phase, ann.state.seats.size]).toEqual(["waiting", 0])
  await ann.request("sit", {})
  await harness.advance(0)
  expect([ann.state.table.phase, handOf(ann)]).toEqual(["waiting", []])
})
