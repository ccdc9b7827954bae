import { describe, expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { cards, CardTable, type Game, type Handlers, secrets } from "../testing/CardTable.ts"
import { TestRoom } from "../testing/TestRoom.ts"

const owned: NonNullable<Handlers["visible"]> = { hands: { to: "owner" } }

const dealt = (): CardTable => {
  const table = new CardTable(owned)
  for (const ref of [1, 2, 3]) table.join(ref)
  table.after(({ state }) => {
    state.hands.add({ owner: "p1", cards: [1, 2] })
    state.hands.add({ owner: "p2", cards: [3, 4] })
  })
  return table
}

describe("records of an owner", () => {
  test("[C-722] a player gets the record whose owner the player is, and nobody else does", () => {
    const table = dealt()
    const none = { hands: [], seats: [], table: { phase: "play", word: "?" } }
    expect(table.as(1)).toEqual({
      ...none,
      hands: [{ id: 1, owner: "p1", cards: [1, 2], shown: false }]
    })
    expect(table.as(2)["hands"]).toEqual([{ id: 2, owner: "p2", cards: [3, 4], shown: false }])
    expect(table.as(3)).toEqual(none)
  })

  test("[C-722] all clients of a player see what the player owns, and share its patches", () => {
    const table = dealt()
    table.join(4, "p1")
    const refs = table.after(({ state }) => {
      const hand = state.hands.get(1)
      if (hand !== undefined) hand.cards = [9]
    })
    expect(refs).toEqual([[1, 4]])
    expect(table.as(4)).toEqual(table.as(1))
  })

  test("[C-722] a record that changes its owner is removed for one and added whole for the other", () => {
    const table = dealt()
    const refs = table.after(({ state }) => {
      const hand = state.hands.get(1)
      if (hand !== undefined) hand.owner = "p2"
    })
    expect(refs.map((to) => [...to])).toEqual([[1], [2]])
    expect(table.as(1)["hands"]).toEqual([])
    expect(table.as(2)["hands"]).toEqual([
      { id: 1, owner: "p2", cards: [1, 2], shown: false },
      { id: 2, owner: "p2", cards: [3, 4], shown: false }
    ])
  })

  test("[C-722] an owner without a name is nobody", () => {
    const table = dealt()
    table.join(4, "")
    table.after(({ state }) => void state.hands.add({ cards: [5] }))
    expect([1, 2, 3, 4].map((ref) => table.as(ref)["hands"])).toEqual([
      table.as(1)["hands"],
      table.as(2)["hands"],
      [],
      []
    ])
  })
})

describe("patches", () => {
  test("[C-724] a client hears nothing, not even a tick, of changes that it does not see", () => {
    const table = dealt()
    const before = table.ticks.get(3)
    const deal = ({ state }: Game) => {
      const hand = state.hands.get(1)
      if (hand !== undefined) hand.cards = [...hand.cards, 5]
    }
    expect(table.after(deal)).toEqual([[1]])
    expect(table.after(deal)).toEqual([[1]])
    expect(table.ticks.get(3)).toBe(before)
    // What all see goes to all: once for each tick that they are at.
    const all = table.after(({ state }) => void (state.table.phase = "over"))
    expect(all.flat().toSorted()).toEqual([1, 2, 3])
    expect(table.as(3)["table"]).toEqual({ phase: "over", word: "?" })
  })

  test("[C-724] a client who sees what another one sees has its tick, so that patches go to both at once", () => {
    const table = dealt()
    table.after(({ state }) => void (state.table.phase = "over"))
    table.join(4)
    expect(table.ticks.get(4)).toBe(table.ticks.get(3))
    expect(table.ticks.get(4)).toBeGreaterThan(0)
    expect(table.after(({ state }) => void (state.table.phase = "play"))).toContainEqual([3, 4])
  })

  test("[C-722] hidden state makes no patch, and no client has it", () => {
    const table = dealt()
    const refs = table.after(({ hidden, state }) => {
      hidden.deck.next = 40
      hidden.bets.add({ of: state.seats.add().id, amount: 500 })
      state.seats.clear()
    })
    expect(refs).toEqual([])
    expect(table.it.hidden.deck.next).toBe(40)
    expect(Object.keys(table.it.state)).toEqual(["table", "hands", "seats"])
    expect(Object.keys(table.it.hidden)).toEqual(["deck", "bets"])
  })
})

describe("fields", () => {
  const visible: NonNullable<Handlers["visible"]> = {
    seats: { fields: { bid: { to: "owner", owner: "player" } } },
    table: { fields: { word: { visibleTo: (client) => client.playerId === "p1" } } }
  }

  test("[C-722] a field that a client does not see shows its default, before and after", () => {
    const table = new CardTable(visible, {
      onCreate: ({ state }) => {
        state.table.word = "fish"
        state.seats.add({ player: "p1", bid: 3 })
      }
    })
    table.join(1)
    table.join(2)
    const shown = (bid: number, word: string) => ({
      hands: [],
      seats: [{ id: 1, player: "p1", bid }],
      table: { phase: "play", word }
    })
    expect([table.as(1), table.as(2)]).toEqual([shown(3, "fish"), shown(7, "?")])
    expect(table.after(({ state }) => void Object.assign(state.table, { word: "cat" }))).toEqual([
      [1]
    ])
    const seat = ({ state }: Game) => state.seats.get(1)
    table.after((room) => void Object.assign(seat(room) ?? {}, { bid: 5 }))
    expect([table.as(1), table.as(2)]).toEqual([shown(5, "cat"), shown(7, "?")])
    // The seat goes to the other: one loses sight of the bid, the other gets it.
    table.after((room) => void Object.assign(seat(room) ?? {}, { player: "p2" }))
    expect([table.as(1)["seats"], table.as(2)["seats"]]).toEqual([
      [{ id: 1, player: "p2", bid: 7 }],
      [{ id: 1, player: "p2", bid: 5 }]
    ])
  })
})

describe("asking again", () => {
  const showdown: NonNullable<Handlers["visible"]> = {
    hands: {
      visibleTo: (client, hand, { state, hidden }) =>
        hand.owner === client.playerId ||
        hand.shown ||
        state.table.phase === "over" ||
        hidden.bets.size > 1 ||
        client.player.isJudge
    }
  }
  const ids = (table: CardTable, ref: number) =>
    JSON.parse(JSON.stringify(table.copies.get(ref)?.state.hands)).map(
      ({ id }: { id: number }) => id
    )
  const begun = (): CardTable => {
    const table = new CardTable(showdown)
    for (const ref of [1, 2]) table.join(ref)
    table.after(({ state }) => {
      for (const owner of ["p1", "p2"]) state.hands.add({ owner, cards: [1] })
    })
    return table
  }

  test.each<[string, (room: Game) => void, ReadonlyArray<number>]>([
    [
      "a field of the record",
      ({ state }) => void Object.assign(state.hands.get(2) ?? {}, { shown: true }),
      [1, 2]
    ],
    ["a field of another record", ({ state }) => void (state.table.phase = "over"), [1, 2]],
    ["hidden state", ({ hidden }) => [1, 2].forEach(() => hidden.bets.add()), [1, 2]],
    [
      "a field of nothing that it read",
      ({ state }) => void Object.assign(state.hands.get(2) ?? {}, { cards: [2] }),
      [1]
    ],
    [
      "a persisted field of the player",
      ({ clients }) => void Object.assign(clients.get("s1")?.player ?? {}, { isJudge: true }),
      [1, 2]
    ]
  ])("[C-725] a rule is asked again by itself when it read what changed: %s", (_, change, seen) => {
    const table = begun()
    expect(ids(table, 1)).toEqual([1])
    table.after(change)
    expect(ids(table, 1)).toEqual(seen)
  })

  test.each<[string, (room: Game) => void]>([
    ["all rules", (room) => room.views.refresh()],
    ["those about a client", (room) => room.views.refresh(room.clients.get("s1"))],
    ["those about a record", (room) => room.views.refresh(room.state.hands.get(1))]
  ])("[C-725] what else a rule reads asks it again by views.refresh: %s", (_, refresh) => {
    let open = false
    const table = new CardTable({ hands: { visibleTo: () => open } })
    table.join(1)
    table.after(({ state }) => void state.hands.add({ cards: [1] }))
    open = true
    expect(table.after(() => {})).toEqual([])
    expect(table.after(refresh)).toEqual([[1]])
    expect(ids(table, 1)).toEqual([1])
    // A client that is not there, and a record that no rule is about, are nothing to ask about.
    expect(table.after((room) => room.views.refresh(room.state.table))).toEqual([])
  })

  test("[C-725] a rule is not asked about what did not change", () => {
    let asked = 0
    const table = new CardTable({
      hands: { visibleTo: (client, hand) => (asked += 1) > 0 && hand.owner === client.playerId }
    })
    for (const ref of [1, 2, 3]) table.join(ref)
    table.after(({ state }) => {
      for (let hand = 0; hand < 50; hand += 1) state.hands.add({ owner: "p1" })
    })
    expect(asked).toBe(150)
    table.after(({ state }) => {
      for (const hand of state.hands) hand.cards = [hand.id]
    })
    expect(asked).toBe(150)
    table.after(({ state }) => void Object.assign(state.hands.get(7) ?? {}, { owner: "p2" }))
    expect(asked).toBe(153)
    table.join(4)
    expect(asked).toBe(203)
  })
})

describe("a rule that fails", () => {
  test.each<[string, () => boolean]>([
    [
      "throws",
      () => {
        throw new Error("oh")
      }
    ],
    // @ts-expect-error The answer of plain JavaScript.
    ["answers later", () => Promise.resolve(true)],
    // @ts-expect-error The answer of plain JavaScript.
    ["answers what is not true", () => "yes"]
  ])("[C-726] shows nothing and is told once, when it %s", (_, visibleTo) => {
    const table = new CardTable({ hands: { visibleTo } })
    table.join(1)
    table.room.logged()
    table.it.state.hands.add()
    const lines = table.room.logged().map(([, level, line]) => [level, String(line).split(":")[0]])
    expect(lines).toEqual([["error", "visible.hands"]])
    table.it.state.hands.add()
    expect(table.room.logged()).toEqual([])
    table.read()
    expect(table.as(1)["hands"]).toEqual([])
  })

  test("[C-726] hides what it showed before", () => {
    let fails = false
    const table = new CardTable({
      hands: {
        visibleTo: (_, hand) => {
          if (fails) throw new Error("oh")
          return hand.shown || true
        }
      }
    })
    table.join(1)
    table.after(({ state }) => void state.hands.add())
    expect(table.as(1)["hands"]).toHaveLength(1)
    fails = true
    table.after(({ state }) => void Object.assign(state.hands.get(1) ?? {}, { shown: true }))
    expect(table.as(1)["hands"]).toEqual([])
  })

  test.each<[string, (room: Game) => void]>([
    ["the state", ({ state }) => void (state.table.phase = "over")],
    ["a collection", ({ state }) => void state.seats.add()],
    ["hidden state", ({ hidden }) => void (hidden.deck.next = 1)],
    [
      "a player's fields",
      ({ clients }) => void Object.assign(clients.get("s1")?.player ?? {}, { isJudge: true })
    ],
    ["what rules say", (room) => room.views.refresh()]
  ])("[C-726] a rule that changes %s fails, and nothing is changed", (_, change) => {
    const table: CardTable = new CardTable({
      hands: {
        visibleTo: () => {
          change(table.it)
          return true
        }
      }
    })
    table.join(1)
    const before = [JSON.stringify(table.it.state.table), table.it.state.seats.size]
    table.after(({ state }) => void state.hands.add())
    expect(table.as(1)["hands"]).toEqual([])
    expect([JSON.stringify(table.it.state.table), table.it.state.seats.size]).toEqual(before)
    expect([table.it.hidden.deck.next, table.it.clients.get("s1")?.player.isJudge]).toEqual([
      0,
      false
    ])
  })

  test("[C-726] a rule that makes its client leave leaves the others with what they see", () => {
    const table: CardTable = new CardTable({
      hands: {
        visibleTo: (client, hand) => {
          if (hand.shown && client.playerId === "p1") client.leave()
          return true
        }
      }
    })
    for (const ref of [1, 2]) table.join(ref)
    const refs = table.after(({ state }) => void state.hands.add({ shown: true }))
    expect(refs).toEqual([[2]])
    expect(table.as(2)["hands"]).toHaveLength(1)
  })
})

describe("a client that comes back", () => {
  test("[C-722] has a welcome of what it sees now, and goes on from there", () => {
    const table = dealt()
    table.room.order(Orders.drop(1))
    table.after(({ state }) => void Object.assign(state.hands.get(1) ?? {}, { cards: [6] }))
    table.room.join(5, { playerId: "p1", resumeHash: "h1" })
    table.read()
    expect(table.as(5)["hands"]).toEqual([{ id: 1, owner: "p1", cards: [6], shown: false }])
    expect(table.after(({ state }) => void state.hands.remove(1))).toEqual([[5]])
    expect(table.as(5)["hands"]).toEqual([])
  })

  test("[C-721] hidden state is in the snapshot, and the next start has it", () => {
    const table = dealt()
    table.after(({ hidden }) => {
      hidden.deck.next = 40
      hidden.bets.add({ amount: 500 })
    })
    const snapshot = table.room.snapshot()
    const seen: Array<unknown> = []
    const again = new TestRoom(
      cards,
      {
        hidden: secrets,
        visible: owned,
        onDrop: ({ hidden, state }) =>
          void seen.push(JSON.parse(JSON.stringify([hidden.deck, hidden.bets, state.hands.size])))
      },
      { snapshot }
    )
    expect(seen[0]).toEqual([{ next: 40 }, [{ id: 1, of: 0, amount: 500 }], 2])
    expect(again.logged()).toEqual([])
  })
})
