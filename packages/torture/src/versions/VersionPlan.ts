import { Chance } from "@atrium/api/testing/Chance"

/** The kind of a field: a number by its largest value, or a text by its longest one. */
export type Kind =
  | { readonly number: "u8" | "u16" | "u32"; readonly default: number }
  | { readonly text: number }

/** The random fields of a part of the state, by name. */
export type Shape = Readonly<Record<string, Kind>>

/** The parts that have random fields: the singleton `core`, and each record of `units`. */
const parts = ["core", "units"] as const
export type Part = (typeof parts)[number]
type Shapes = Readonly<Record<Part, Shape>>

/** A change of one field from a version to the next. */
export type Change = { readonly part: Part; readonly name: string } & (
  | { readonly does: "add"; readonly kind: Kind }
  | { readonly does: "widen"; readonly kind: Kind }
  | { readonly does: "remove" }
  | { readonly does: "rename"; readonly to: string }
  | { readonly does: "toText"; readonly kind: Kind }
  | { readonly does: "toLength"; readonly kind: Kind }
  | { readonly does: "narrow"; readonly kind: Kind }
)

/** A version of the game, as it is planned. */
export interface PlannedVersion {
  /** From 1 on. */
  readonly version: number
  readonly shapes: Shapes
  readonly changes: ReadonlyArray<Change>
  /** Its changes need a migration. */
  readonly breaking: boolean
  /** Its migration throws for rooms with this remainder, until a version mends it; `null` = it never does. */
  readonly throws: { readonly remainder: number; readonly until: number } | null
  readonly strategy: "migrate" | "drain"
}

/** The migration of a version throws for rooms whose number of plays has the remainder of this. */
export const remainders = 20

const firstShapes: Shapes = {
  core: { f1: { number: "u8", default: 3 }, f2: { text: 16 } },
  units: { f3: { number: "u16", default: 300 }, f4: { text: 16 } }
}

const fieldsMax = 5
const longestText = 64
const numbers = ["u8", "u16", "u32"] as const

/** Random versions: two of five break. A migration that throws is mended by the last version at the latest. */
export const planVersions = (seed: number, count: number): ReadonlyArray<PlannedVersion> => {
  const chance = Chance.of(seed, "versions", count)
  let names = 4
  const newName = (): string => `f${++names}`
  const plan: Array<PlannedVersion> = [
    {
      version: 1,
      shapes: firstShapes,
      changes: [],
      breaking: false,
      throws: null,
      strategy: "migrate"
    }
  ]
  let shapes = firstShapes
  for (let version = 2; version <= count; version++) {
    const breaking = version < count && chance.share() < 0.4
    const changes: Array<Change> = []
    // Each field changes once in a version, so that the order within it is no matter.
    const touched = new Set<string>()
    for (let left = 1 + chance.below(3); left > 0; left--) {
      const drawing = { chance, newName, touched }
      const wantsBreak = breaking && (changes.length === 0 || chance.one(2))
      const change = (wantsBreak ? breaks(shapes, drawing) : null) ?? grows(shapes, drawing)
      changes.push(change)
      touched.add(change.name)
      if (change.does === "rename") touched.add(change.to)
      shapes = changed(shapes, change)
    }
    plan.push({
      version,
      shapes,
      changes,
      breaking,
      throws:
        breaking && chance.one(2)
          ? {
              remainder: chance.below(remainders),
              until: Math.min(count, version + 1 + chance.below(4))
            }
          : null,
      strategy: chance.one(5) ? "drain" : "migrate"
    })
  }
  return plan
}

interface Drawing {
  readonly chance: Chance
  readonly newName: () => string
  readonly touched: ReadonlySet<string>
}

const numberKind = (number: (typeof numbers)[number], chance: Chance): Kind => ({
  number,
  default: chance.below(250)
})

/** A change that only takes more. */
const grows = (shapes: Shapes, { chance, newName, touched }: Drawing): Change => {
  const part = chance.pick(parts)
  const widened = Object.entries(shapes[part]).flatMap(([name, kind]): ReadonlyArray<Change> => {
    const wider = touched.has(name) ? null : widerThan(kind)
    return wider === null ? [] : [{ part, name, does: "widen", kind: wider }]
  })
  const isFull = Object.keys(shapes[part]).length >= fieldsMax
  if (widened.length > 0 && (isFull || chance.one(2))) return chance.pick(widened)
  const kind: Kind = chance.one(2) ? { text: 16 } : numberKind(chance.pick(numbers), chance)
  return { part, name: newName(), does: "add", kind }
}

const widerThan = (kind: Kind): Kind | null => {
  if ("text" in kind) return kind.text < longestText ? { text: kind.text * 2 } : null
  const wider = numbers[numbers.indexOf(kind.number) + 1]
  return wider === undefined ? null : { ...kind, number: wider }
}

/** A change that takes something away, renames it or changes its type; `null` = every field has changed already. */
const breaks = (shapes: Shapes, { chance, newName, touched }: Drawing): Change | null => {
  const all = parts.flatMap((part) =>
    Object.entries(shapes[part]).map(([name, kind]) => ({ part, name, kind }))
  )
  const left = all.filter((each) => !touched.has(each.name))
  if (left.length === 0) return null
  const { part, name, kind } = chance.pick(left)
  const isFull = Object.keys(shapes[part]).length >= fieldsMax
  if (chance.one(isFull ? 2 : 6)) return { part, name, does: "remove" }
  if (chance.one(3)) return { part, name, does: "rename", to: newName() }
  if ("text" in kind) return { part, name, does: "toLength", kind: numberKind("u8", chance) }
  return kind.number === "u8" || chance.one(2)
    ? { part, name, does: "toText", kind: { text: 16 } }
    : { part, name, does: "narrow", kind: numberKind("u8", chance) }
}

const changed = (shapes: Shapes, change: Change): Shapes => {
  const { [change.name]: before, ...others } = shapes[change.part]
  if (change.does === "remove") return { ...shapes, [change.part]: others }
  if (change.does === "rename") {
    return before === undefined
      ? shapes
      : { ...shapes, [change.part]: { ...others, [change.to]: before } }
  }
  return { ...shapes, [change.part]: { ...others, [change.name]: change.kind } }
}
