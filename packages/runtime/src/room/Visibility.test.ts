import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import type { HiddenOf } from "@atrium/wire/schema/HiddenState"
import type { CollectionView, EntityViewOf } from "@atrium/wire/schema/Inference"
import { describe, expectTypeOf, test } from "vitest"

import { defineRoom } from "./DefineRoom.ts"
import type { Room, RoomHandlers } from "./Room.ts"

const hand = { owner: s.string(10), cards: s.list(s.u8(), 3), size: s.u8() }
const cards = defineSchema({
  type: "cards",
  entities: { hands: hand },
  singletons: { table: { phase: s.enum("play", "over") } },
  rpc: { client: { look: { returns: { next: s.u8() } } } }
})
const secrets = {
  singletons: { deck: { next: s.u8() } },
  entities: { bets: { amount: s.u16() } }
}
const look = () => ({ next: 0 })

describe("types of hidden state", () => {
  test("[C-720] room.hidden has what hidden declares, in every hook and in a helper that names both", () => {
    type Game = Room<typeof cards, typeof secrets>
    const next = (room: Game): number => room.hidden.deck.next
    const size = (room: Room<typeof cards>): number => room.state.hands.size
    defineRoom(cards, {
      hidden: secrets,
      onCreate(room) {
        expectTypeOf(room).toEqualTypeOf<Game>()
        expectTypeOf(room.hidden.bets.add({ amount: 3 }).amount).toEqualTypeOf<number>()
        // @ts-expect-error It is not of the hidden state.
        void room.hidden.hands
      },
      rpc: { look: (room) => ({ next: next(room) + size(room) }) }
    })
    expectTypeOf<HiddenOf<typeof secrets>["deck"]["next"]>().toEqualTypeOf<number>()
  })

  test("[C-720] a room without hidden state has none", () => {
    defineRoom(cards, {
      onCreate(room) {
        expectTypeOf<keyof typeof room.hidden>().toEqualTypeOf<never>()
      },
      rpc: { look }
    })
  })
})

describe("types of rules", () => {
  test("[C-720] a rule gets the client, the record and the rest of the state, to be read only", () => {
    defineRoom(cards, {
      rpc: { look },
      hidden: secrets,
      visible: {
        hands: {
          visibleTo: (client, record, { state, hidden }) => {
            expectTypeOf(client.playerId).toEqualTypeOf<string>()
            expectTypeOf(record).toEqualTypeOf<EntityViewOf<typeof hand>>()
            expectTypeOf(state.hands).toEqualTypeOf<CollectionView<EntityViewOf<typeof hand>>>()
            expectTypeOf(hidden.deck.next).toEqualTypeOf<number>()
            // @ts-expect-error It cannot be assigned; at run time neither.
            const assign = (): void => void (record.owner = "ann")
            // @ts-expect-error Nothing can be added.
            const add = (): void => void hidden.bets.add()
            return state.table.phase === "over" || [assign, add].length === 0
          },
          fields: { cards: { to: "owner" } }
        },
        table: { fields: { phase: { visibleTo: (_, { phase }) => phase === "play" } } }
      }
    })
  })

  test("[C-720] misspelt names, and an owner that is no text, have no type", () => {
    defineRoom(cards, { rpc: { look }, visible: { hands: { to: "owner", owner: "owner" } } })
    type Rules = NonNullable<RoomHandlers<typeof cards>["visible"]>
    const wrong: ReadonlyArray<Rules> = [
      // @ts-expect-error There is no such collection.
      { handz: { to: "owner" } },
      // @ts-expect-error The field is no text.
      { hands: { to: "owner", owner: "size" } },
      // @ts-expect-error There is no such field.
      { hands: { fields: { x: { to: "owner" } } } },
      // @ts-expect-error An answer that comes later is none.
      { hands: { visibleTo: async () => true } }
    ]
    expectTypeOf(wrong).toEqualTypeOf<ReadonlyArray<Rules>>()
  })
})
