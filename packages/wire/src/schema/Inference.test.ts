import { describe, expectTypeOf, test } from "vitest"

import { makeRoomState, makeStateView } from "../codec.ts"
import {
  defineSchema,
  s,
  type AnyRoomSchema,
  type ClientRpcsOf,
  type MapOf,
  type MessagesOf,
  type PlayerOf,
  type SeenAnswersOf,
  type SeenArgsOf,
  type SeenMessagesOf,
  type ServerRpcsOf,
  type StateOf,
  type ViewOf
} from "../schema.ts"
import type { EntityOf, PartOf, ReadonlyStateOf } from "./Inference.ts"

const arena = defineSchema({
  type: "arena",
  entities: {
    players: {
      name: s.string(32),
      x: s.f32(),
      alive: s.bool(),
      team: s.enum("red", "blue"),
      target: s.ref("players"),
      path: s.list(s.u16(), 16),
      tags: s.list(s.enum("a", "b"), 4),
      speed: s.quantised({ min: 0, max: 10, step: 0.1 }),
      pic: s.bytes(64)
    }
  },
  singletons: { score: { red: s.u16(), blue: s.u16() } },
  messages: { chat: { text: s.string(200) }, anything: s.untyped() },
  rpc: {
    client: {
      place: { args: { cell: s.u8() }, returns: { ok: s.bool() }, durable: true },
      raw: { args: s.untyped(), returns: s.untyped() },
      nothing: {}
    },
    server: { choose: { args: { of: s.list(s.string(8), 4) }, returns: { place: s.u8() } } }
  },
  player: { wins: s.u32() }
})
type Arena = typeof arena

describe("types", () => {
  test("[D-24] the room's records are assignable, with the types of their fields", () => {
    type Player = NonNullable<ReturnType<StateOf<Arena>["players"]["get"]>>
    expectTypeOf<Player["name"]>().toEqualTypeOf<string>()
    expectTypeOf<Player["alive"]>().toEqualTypeOf<boolean>()
    expectTypeOf<Player["team"]>().toEqualTypeOf<"red" | "blue">()
    expectTypeOf<Player["target"]>().toEqualTypeOf<number>()
    expectTypeOf<Player["path"]>().toEqualTypeOf<ReadonlyArray<number>>()
    expectTypeOf<Player["tags"]>().toEqualTypeOf<ReadonlyArray<"a" | "b">>()
    expectTypeOf<Player["pic"]>().toEqualTypeOf<Uint8Array>()
    expectTypeOf<Player["id"]>().toEqualTypeOf<number>()
    expectTypeOf<StateOf<Arena>["score"]["red"]>().toEqualTypeOf<number>()
    type Added = NonNullable<Parameters<StateOf<Arena>["players"]["add"]>[0]>
    expectTypeOf<Added["team"]>().toEqualTypeOf<"red" | "blue" | undefined>()
    const use = (state: StateOf<Arena>, player: Player): void => {
      state.score.red = 3
      player.x = 1
      player.path = [1, 2]
      // @ts-expect-error a choice that is not declared
      player.team = "green"
      // @ts-expect-error a list cannot be changed in place
      player.path.push(1)
      // @ts-expect-error an id never changes
      player.id = 2
      // @ts-expect-error no such field
      player.nothing = 2
      // @ts-expect-error no such field
      state.players.add({ nothing: 1 })
    }
    expectTypeOf(use).toBeFunction()
  })

  test("[D-24] the client's records are read-only", () => {
    const use = (view: ViewOf<Arena>): void => {
      for (const player of view.players) {
        expectTypeOf(player.x).toEqualTypeOf<number>()
        // @ts-expect-error read-only
        player.x = 1
      }
      // @ts-expect-error read-only
      view.score.red = 1
      // @ts-expect-error clients add nothing
      view.players.add()
    }
    expectTypeOf(use).toBeFunction()
  })

  test("[C-680] a client may meet a choice that it does not know, room code does not", () => {
    type Seen = NonNullable<ReturnType<ViewOf<Arena>["players"]["get"]>>
    expectTypeOf<Seen["team"]>().toEqualTypeOf<"red" | "blue" | undefined>()
    expectTypeOf<Seen["tags"]>().toEqualTypeOf<ReadonlyArray<"a" | "b" | undefined>>()
    expectTypeOf<ReturnType<Seen["toJSON"]>["team"]>().toEqualTypeOf<"red" | "blue" | undefined>()
    expectTypeOf<Seen["path"]>().toEqualTypeOf<ReadonlyArray<number>>()
    const dealt = defineSchema({
      type: "dealt",
      messages: { card: { suit: s.enum("a", "b") } },
      rpc: {
        client: { draw: { returns: { suit: s.enum("a", "b") } } },
        server: { show: { args: { suit: s.enum("a", "b") } } }
      }
    })
    type Dealt = typeof dealt
    interface Known {
      suit: "a" | "b"
    }
    interface Met {
      suit: "a" | "b" | undefined
    }
    expectTypeOf<MessagesOf<Dealt>["card"]>().toEqualTypeOf<Known>()
    expectTypeOf<SeenMessagesOf<Dealt>["card"]>().toEqualTypeOf<Met>()
    expectTypeOf<ClientRpcsOf<Dealt>["draw"]["returns"]>().toEqualTypeOf<Known>()
    expectTypeOf<SeenAnswersOf<Dealt>["draw"]>().toEqualTypeOf<Met>()
    expectTypeOf<ServerRpcsOf<Dealt>["show"]["args"]>().toEqualTypeOf<Known>()
    expectTypeOf<SeenArgsOf<Dealt>["show"]>().toEqualTypeOf<Met>()
    expectTypeOf<SeenArgsOf<Arena>["choose"]>().toEqualTypeOf<{ of: ReadonlyArray<string> }>()
    expectTypeOf<SeenAnswersOf<Arena>["nothing"]>().toEqualTypeOf<{}>()
    expectTypeOf<SeenAnswersOf<Arena>["raw"]>().toEqualTypeOf<unknown>()
  })

  test("[D-24] messages, RPCs and player fields by name", () => {
    expectTypeOf<MessagesOf<Arena>["chat"]>().toEqualTypeOf<{ text: string }>()
    expectTypeOf<MessagesOf<Arena>["anything"]>().toEqualTypeOf<unknown>()
    expectTypeOf<keyof MessagesOf<Arena>>().toEqualTypeOf<"chat" | "anything">()
    expectTypeOf<ClientRpcsOf<Arena>["place"]["args"]>().toEqualTypeOf<{ cell: number }>()
    expectTypeOf<ClientRpcsOf<Arena>["place"]["returns"]>().toEqualTypeOf<{ ok: boolean }>()
    expectTypeOf<ClientRpcsOf<Arena>["raw"]["args"]>().toEqualTypeOf<unknown>()
    expectTypeOf<ClientRpcsOf<Arena>["nothing"]["returns"]>().toEqualTypeOf<{}>()
    expectTypeOf<ServerRpcsOf<Arena>["choose"]["args"]>().toEqualTypeOf<{
      of: ReadonlyArray<string>
    }>()
    expectTypeOf<PlayerOf<Arena>>().toEqualTypeOf<{ wins: number }>()
  })

  const nested = defineSchema({
    type: "nested",
    entities: {
      units: {
        at: s.struct({ x: s.f32(), name: s.optional(s.string(8)) }),
        bag: s.map(s.enum("rope", "coin"), s.struct({ count: s.u8() })),
        hand: s.list(s.struct({ suit: s.enum("clubs", "hearts") }), 5),
        aim: s.optional(s.ref("units"))
      }
    },
    messages: { give: { item: s.struct({ count: s.u8() }), to: s.optional(s.u8()) } },
    player: { bag: s.map(s.u16(), s.u8()) }
  })

  test("[C-662] room code changes structs, maps and items where they are", () => {
    type Unit = NonNullable<ReturnType<StateOf<typeof nested>["units"]["get"]>>
    expectTypeOf<Unit["at"]>().toEqualTypeOf<{ x: number; name?: string | undefined }>()
    expectTypeOf<Unit["bag"]>().toEqualTypeOf<MapOf<"rope" | "coin", { count: number }>>()
    expectTypeOf<Unit["hand"]>().toEqualTypeOf<ReadonlyArray<{ suit: "clubs" | "hearts" }>>()
    expectTypeOf<Unit["aim"]>().toEqualTypeOf<number | undefined>()
    const use = (state: StateOf<typeof nested>, unit: Unit): void => {
      unit.at.x = 3
      unit.at = { x: 1 }
      unit.bag.set("rope", { count: 1 })
      unit.bag = new Map([["coin", { count: 2 }]])
      unit.aim = undefined
      unit.hand = [...unit.hand, { suit: "clubs" }]
      for (const card of unit.hand) card.suit = "hearts"
      state.units.add({ at: { x: 1 }, bag: new Map(), hand: unit.hand })
      // @ts-expect-error a key that is not declared
      unit.bag.set("sword", { count: 1 })
      // @ts-expect-error a list is no array to push into
      unit.hand.push({ suit: "clubs" })
      // @ts-expect-error a field of the struct is missing
      unit.at = { name: "a" }
    }
    expectTypeOf(use).toBeFunction()
  })

  test("[C-662] clients read them, and messages and players have them", () => {
    type Unit = NonNullable<ReturnType<ViewOf<typeof nested>["units"]["get"]>>
    expectTypeOf<Unit["bag"]>().toEqualTypeOf<
      ReadonlyMap<"rope" | "coin", { readonly count: number }>
    >()
    const use = (unit: Unit): void => {
      // @ts-expect-error read-only
      unit.at.x = 1
      // @ts-expect-error read-only
      unit.hand = []
      for (const card of unit.hand) {
        // @ts-expect-error read-only
        card.suit = "clubs"
      }
    }
    expectTypeOf(use).toBeFunction()
    expectTypeOf<MessagesOf<typeof nested>["give"]>().toEqualTypeOf<{
      item: { count: number }
      to?: number | undefined
    }>()
    expectTypeOf<PlayerOf<typeof nested>["bag"]>().toEqualTypeOf<MapOf<number, number>>()
    // @ts-expect-error a key is a number or a text
    s.map(s.bool(), s.u8())
  })

  test("[C-720] rules read them, and assign nothing within", () => {
    type Unit = NonNullable<ReturnType<ReadonlyStateOf<typeof nested>["units"]["get"]>>
    expectTypeOf<Unit["bag"]>().toEqualTypeOf<
      ReadonlyMap<"rope" | "coin", { readonly count: number }>
    >()
    expectTypeOf<EntityOf<PartOf<typeof nested, "entities">["units"]>>().toExtend<Unit>()
    const use = (unit: Unit): void => {
      // @ts-expect-error read-only
      unit.at.x = 1
      for (const card of unit.hand) {
        // @ts-expect-error read-only
        card.suit = "clubs"
      }
    }
    expectTypeOf(use).toBeFunction()
  })

  test("[D-24] parts that are left out are empty, any schema is an AnyRoomSchema", () => {
    const bare = defineSchema({ type: "bare" })
    expectTypeOf<keyof StateOf<typeof bare>>().toEqualTypeOf<never>()
    expectTypeOf<keyof MessagesOf<typeof bare>>().toEqualTypeOf<never>()
    expectTypeOf<keyof ClientRpcsOf<typeof bare>>().toEqualTypeOf<never>()
    expectTypeOf<PlayerOf<typeof bare>>().toEqualTypeOf<{}>()
    expectTypeOf(arena).toExtend<AnyRoomSchema>()
    expectTypeOf(makeRoomState(bare).state).toEqualTypeOf<StateOf<typeof bare>>()
    expectTypeOf(makeStateView(bare).state).toEqualTypeOf<ViewOf<typeof bare>>()
  })
})
