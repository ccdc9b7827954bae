/** A world that has found something once. */
export interface KeptSeed {
  readonly seed: number
  readonly steps: number
  /** In one line what it found. */
  readonly found: string
}

/** They are lived through again with every test. */
export const keptSeeds: ReadonlyArray<KeptSeed> = [
  {
    ...{ seed: 18, steps: 120 },
    found: "a room whose server was gone answered with its place for as long as somebody asked"
  },
  {
    ...{ seed: 131, steps: 120 },
    found: "the same, of a room that had been woken and left"
  },
  {
    ...{ seed: 9, steps: 120 },
    found: "a first start that nobody heard of stored a state, and the room was forgotten"
  },
  {
    ...{ seed: 167, steps: 120 },
    found: "a server kept the place and process of a room that had given it up, for ever"
  },
  { ...{ seed: 454, steps: 120 }, found: "the same, of a room that was gone altogether" }
]
