import { defineMigration, undecided } from "@atrium/sdk/migration"

// #region Schemas. `atrium migrate create` writes this part anew when they change before the deploy.

/** The schemas between which it goes. */
const schemas = {
  duel: { from: "7b73324adc16e45c", to: "191a0470f2593f51" },
  "tic-tac-toe": { from: "7e3d5879f00e9f53", to: "9f53d55769d311b9" },
  "old.lobby": { from: "f60521bff3d8b172" },
} as const
const players = { from: "83d694efd068b75a", to: "104b5c1f1fea4afa" } as const

/** The state of duel in version 2. */
interface DuelV2 {
  readonly match: {
    readonly round: number
    readonly phase: "lobby" | "play" | "end"
    readonly raw: Uint8Array
  }
  readonly weather: {
    readonly wind: number
  }
  readonly fighters: ReadonlyArray<{
    readonly id: number
    readonly name: string
    readonly hp: number
    readonly team: "red" | "blue"
    readonly path: ReadonlyArray<number>
    readonly kit: { readonly blade: number; readonly names: ReadonlyArray<string> }
    readonly spells: ReadonlyMap<string, { readonly cost: number }>
    readonly foe: number
    readonly home: number
  }>
  readonly tents: ReadonlyArray<{
    readonly id: number
    readonly at: number
  }>
}

/** The same in the next version; a record without an id gets the next one. */
interface DuelV3 {
  readonly match: {
    readonly round: number
    readonly phase: "lobby" | "play" | "end" | "over"
    readonly raw: Uint8Array
    readonly title: string
  }
  readonly score: {
    readonly red: number
    readonly blue: number
  }
  readonly fighters: ReadonlyArray<{
    readonly id?: number
    readonly name: string
    readonly health: number
    readonly team: number
    readonly path: ReadonlyArray<number>
    readonly kit: { readonly blade: number; readonly names: ReadonlyArray<string>; readonly worn?: boolean | undefined }
    readonly spells: ReadonlyMap<string, { readonly price: number }>
    readonly horse?: { readonly age: number } | undefined
    readonly seen: ReadonlyMap<number, boolean>
    readonly seat: { readonly row: number; readonly kind: "wood" | "stone" }
    readonly bag: Uint8Array
    readonly foe: number
    readonly home: number
  }>
  readonly camps: ReadonlyArray<{
    readonly id?: number
    readonly at: number
  }>
}

/** The persisted fields of a player in version 2. */
interface PlayerV2 {
  readonly wins: number
  readonly name: string
}

/** The same in the next version. */
interface PlayerV3 {
  readonly score: number
  readonly name: string
}

// #endregion

// The functions are pure: they know neither time nor chance, and what they get is frozen.
export const migration = defineMigration({
  rooms: {
    duel: {
      ...schemas.duel,
      migrate: (old: DuelV2): DuelV3 => ({
        // weather was removed
        // tents was removed
        match: {
          // It was old.match.round.
          round: undecided("match.round was u16 and is u8"),
          // match.phase was enum("lobby", "play", "end") and is enum("lobby", "play", "end", "over")
          phase: old.match.phase,
          raw: old.match.raw,
          title: "duel", // new
        },
        score: { // new
          red: 0,
          blue: 3,
        },
        fighters: old.fighters.map((each) => ({
          id: each.id,
          // hp: u8 was removed
          name: each.name,
          // Was it called hp? Then: each.hp
          health: 100, // new
          // It was each.team.
          team: undecided("fighters.team was enum(\"red\", \"blue\") and is u8"),
          // fighters.path was list(u8, 4) and is list(u16, 4)
          path: each.path,
          // fighters.kit was struct(blade: u8, names: list(string(4), 2)) and is struct(blade: u16, names: list(string(4), 2), worn: optional(bool))
          kit: each.kit,
          // It was each.spells.
          spells: undecided("fighters.spells was map(string(8), struct(cost: u8), 4) and is map(string(8), struct(price: u8), 4)"),
          horse: undefined, // new
          seen: new Map(), // new
          seat: { row: 0, kind: "wood" }, // new
          bag: Uint8Array.of(1, 2), // new
          foe: each.foe,
          // It was each.home.
          home: undecided("fighters.home was ref(tents) and is ref(camps)"),
        })),
        // Was it called tents? Then: old.tents.map(…)
        camps: [], // new
      })
      // With a way back `atrium rollback` can go back over it:
      // back: (now: DuelV3): DuelV2 => ({ … })
    },
    // messages.bye was removed: what is stored goes on by name.
    "tic-tac-toe": { ...schemas["tic-tac-toe"] },
    // Its rooms stay stored, and cannot be joined any more.
    "old.lobby": { ...schemas["old.lobby"], removed: true },
  },
  player: {
    ...players,
    migrate: (old: PlayerV2): PlayerV3 => ({
      // wins: u8 was removed
      // Was it called wins? Then: old.wins
      score: 0, // new
      name: old.name,
    })
  }
})
