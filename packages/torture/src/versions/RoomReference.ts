import {
  type Change,
  type Kind,
  type Part,
  type PlannedVersion,
  type Shape,
  remainders
} from "./VersionPlan.ts"

type Fields = Readonly<Record<string, number | string>>

/** The state of a room, in plain values. */
export interface PlainState {
  readonly version: number
  readonly core: Fields
  readonly units: ReadonlyArray<Fields>
}

/** A room is refused while a migration throws for it. */
type Woken = { readonly state: PlainState } | { readonly refused: true }

const playedValue = (kind: Kind, n: number): number | string => {
  if ("text" in kind) return `s${n}`
  return (n * 31) % (kind.number === "u8" ? 200 : 60_000)
}

const fresh = (shape: Shape): Fields =>
  Object.fromEntries(
    Object.entries(shape).map(([name, kind]) => [name, "text" in kind ? "" : kind.default])
  )

/** A record after one change. */
const changedRecord = (record: Fields, change: Change): Fields => {
  const { [change.name]: value = 0, ...others } = record
  switch (change.does) {
    case "add":
      return { ...record, ...fresh({ [change.name]: change.kind }) }
    case "widen":
      return record
    case "remove":
      return others
    case "rename":
      return { ...others, [change.to]: value }
    case "toText":
      return { ...others, [change.name]: String(value) }
    case "toLength":
      return { ...others, [change.name]: String(value).length }
    case "narrow":
      return { ...others, [change.name]: Number(value) % 251 }
  }
}

/** Computes the state of a room under planned versions, in plain values: no schema, no bytes, no process. */
export class VersionReference {
  readonly #plan: ReadonlyArray<PlannedVersion>

  constructor(plan: ReadonlyArray<PlannedVersion>) {
    this.#plan = plan
  }

  /** The state of a new room of the first version. */
  get untouched(): PlainState {
    const { shapes } = this.#planned(1)
    return { version: 1, core: { seq: 0, ...fresh(shapes.core) }, units: [] }
  }

  /** The state after the play number `n`, on the version of the state. */
  played({ version, core, units }: PlainState, n: number): PlainState {
    const { shapes } = this.#planned(version)
    const played = Object.entries(shapes.core).map(([name, kind]) => [name, playedValue(kind, n)])
    const kept = units.length >= 4 ? units.slice(1) : units
    return {
      version,
      core: { ...core, seq: n, ...Object.fromEntries(played) },
      units: [...kept, { tag: n % 251, ...fresh(shapes.units) }]
    }
  }

  /**
   * The state on a version, led through every version between.
   *
   * @param deployed the version that is deployed: it may have mended the migration of an older one
   */
  ledTo(from: PlainState, to: number, deployed: number): Woken {
    let state = from
    for (let version = from.version + 1; version <= to; version++) {
      const { changes, throws } = this.#planned(version)
      const remainder = Number(state.core["seq"]) % remainders
      if (throws !== null && deployed < throws.until && remainder === throws.remainder) {
        return { refused: true }
      }
      const led = (part: Part, record: Fields): Fields =>
        changes.filter((change) => change.part === part).reduce(changedRecord, record)
      state = {
        version,
        core: led("core", state.core),
        units: state.units.map((unit) => led("units", unit))
      }
    }
    return { state }
  }

  /** Whether a deploy of the version needs a quarantine: a migration of it, or of an older one, throws for some rooms. */
  quarantines(deployed: number): boolean {
    return this.#plan.some(
      ({ version, throws }) => throws !== null && version <= deployed && deployed < throws.until
    )
  }

  #planned(version: number): PlannedVersion {
    const planned = this.#plan[version - 1]
    if (planned === undefined) throw new Error(`no version ${version} is planned`)
    return planned
  }
}

/** A state as text, in which the order of fields and the ids of records are no matter. */
export const textOf = ({ version, core, units }: PlainState): string => {
  const sorted = (record: Fields) =>
    Object.entries(record)
      .filter(([name]) => name !== "id")
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([version, sorted(core), units.map(sorted)])
}
