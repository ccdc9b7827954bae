import type { Probe, ProbeOf } from "../check/Check.ts"
import type { AmbientRule } from "../trial/Ambient.ts"
import type { Requirement } from "./Requirement.ts"
import type {
  Boundary,
  Bucket,
  ErrorRow,
  FileRow,
  Json,
  Keep,
  Move,
  Refused,
  Route,
  Row,
  RowBase,
  Shape,
  Text
} from "./Row.ts"

/** A requirement of the specification with its literals and its check. */
export interface SectionRow extends UnplacedRow {
  readonly id: string
  readonly section: string
}

/** Rows of one section of the specification, in the order of its lines. */
export interface Section {
  readonly title: string
  readonly rows: ReadonlyArray<SectionRow>
}

/** Rows by their ids, which a file or a family of rows makes. */
export type RowsById = Readonly<Record<string, UnplacedRow>>

export interface UnplacedRow {
  readonly tier: Requirement["tier"]
  readonly line: number
  readonly statement: string
  readonly more: More
}

/** The literals of one kind of row. */
export type LiteralsOf<Of extends Row> = Omit<Of, "kind" | keyof RowBase>

type Beside = Probe | ProbeOf

/** Optional fields of a row: all but its line, its statement and its tier. */
export interface More {
  /** Absent = `must`. */
  readonly level?: "decided" | "info"
  /** Absent = over HTTP. */
  readonly probe?: Requirement["probe"]
  /** Absent = the fixtures in tier B, and none in any other. */
  readonly hooks?: ReadonlyArray<string>
  readonly features?: ReadonlyArray<string>
  readonly decisions?: ReadonlyArray<string>
  readonly alsoLines?: ReadonlyArray<number>
  readonly sameAs?: string

  // The literals: of one kind, or `is` and `outcome` alone.
  readonly boundary?: LiteralsOf<Boundary>
  readonly bucket?: LiteralsOf<Bucket>
  readonly error?: LiteralsOf<ErrorRow>
  readonly move?: LiteralsOf<Move>
  readonly keep?: LiteralsOf<Keep>
  readonly shape?: LiteralsOf<Shape>
  readonly file?: LiteralsOf<FileRow>
  readonly text?: LiteralsOf<Text>
  readonly route?: LiteralsOf<Route>
  /** Nothing can be asked of an implementation: the reason. */
  readonly documented?: string
  readonly outcome?: Refused
  readonly is?: Readonly<Record<string, Json>>
  readonly numbers?: ReadonlyArray<number>
  readonly codes?: ReadonlyArray<string>
  /** The row that holds the literals of this one, too. `sameAs` says as much. */
  readonly literalsOf?: string

  /** Rows whose checks prove this one, too; `id#name` is the check of that name alone. */
  readonly provedBy?: string | ReadonlyArray<string>
  /** The rules that hold for every exchange of a run. */
  readonly ambient?: ReadonlyArray<Omit<AmbientRule, "ids">>
  readonly check?: Beside | ReadonlyArray<Beside>
}

/** Makes rows of one tier. `taking` makes rows of it that have these fields unless they say otherwise. */
interface RowMaker {
  (line: number, statement: string, more?: More): UnplacedRow
  readonly taking: (common: More) => RowMaker
}

const ofTier = (tier: Requirement["tier"], common: More = {}): RowMaker => {
  const row = (line: number, statement: string, more: More = {}): UnplacedRow => ({
    tier,
    line,
    statement,
    more: { ...common, ...more }
  })
  return Object.assign(row, { taking: (more: More) => ofTier(tier, { ...common, ...more }) })
}

/** A row that takes an address and credentials. */
export const tierA = ofTier("A")
/** A row that takes fixtures, too. */
export const tierB = ofTier("B")
/** A row that takes hooks of the operator. */
export const tierC = ofTier("C")
/** A row of which nothing can be asked. */
export const tierD = ofTier("D")

const registered = new Map<string, SectionRow>()
let byId: ReadonlyMap<string, Row> | null = null

/** Rows of a section by their ids. Throws for an id that another section has. */
export const section = (title: string, rows: RowsById): Section => {
  const placed = Object.entries(rows).map(([id, row]) => ({ id, section: title, ...row }))
  for (const row of placed) {
    if (registered.has(row.id)) throw new Error(`two rows are ${row.id}`)
    registered.set(row.id, row)
  }
  byId = null
  return { title, rows: placed }
}

/** The literals of a requirement, of the kind that a check expects. Throws when there are none: a check is wrong. */
export const rowOf = <Kind extends Row["kind"]>(
  kind: Kind,
  id: string
): Extract<Row, { readonly kind: Kind }> => {
  byId ??= new Map(
    literalRows([...registered.values()]).flatMap((row) => row.ids.map((one) => [one, row]))
  )
  const row = byId.get(id)
  if (row === undefined) throw new Error(`no row for ${id}`)
  if (!isOf(row, kind)) throw new Error(`the row of ${id} is a ${row.kind}, not a ${kind}`)
  return row
}

const isOf = <Kind extends Row["kind"]>(
  row: Row,
  kind: Kind
): row is Extract<Row, { readonly kind: Kind }> => row.kind === kind

/** The literals of all rows; rows that share them are one. */
export const literalRows = (all: ReadonlyArray<SectionRow>): ReadonlyArray<Row> => {
  const known = new Map(all.map((row) => [row.id, row]))
  const holderOf = ({ id, more: { literalsOf, sameAs } }: SectionRow): string => {
    const next = literalsOf ?? sameAs
    if (next === undefined) return id
    const holder = known.get(next)
    if (holder === undefined) throw new Error(`${id} has the literals of ${next}, which is no row`)
    return holderOf(holder)
  }
  // Not `Map.groupBy`, which Node 20 lacks.
  const sharing = new Map<string, Array<SectionRow>>()
  for (const row of all) {
    const holder = holderOf(row)
    sharing.set(holder, [...(sharing.get(holder) ?? []), row])
  }
  return all.flatMap((row) => {
    const others = (sharing.get(row.id) ?? []).filter((one) => one !== row)
    return holderOf(row) === row.id ? [literalRow(row, others)] : []
  })
}

const literalRow = ({ id, more }: SectionRow, others: ReadonlyArray<SectionRow>): Row => {
  const { numbers, codes, is, outcome, documented } = more
  const base: RowBase = {
    ids: [id, ...others.map((row) => row.id)],
    ...(numbers === undefined ? {} : { numbers }),
    ...(codes === undefined ? {} : { codes }),
    ...(is === undefined ? {} : { is })
  }
  if (more.boundary) return { kind: "boundary", ...base, ...more.boundary }
  if (more.bucket) return { kind: "bucket", ...base, ...more.bucket }
  if (more.error) return { kind: "error", ...base, ...more.error }
  if (more.move) return { kind: "move", ...base, ...more.move }
  if (more.keep) return { kind: "keep", ...base, ...more.keep }
  if (more.shape) return { kind: "shape", ...base, ...more.shape }
  if (more.file) return { kind: "file", ...base, ...more.file }
  if (more.text) return { kind: "text", ...base, ...more.text }
  if (more.route) return { kind: "route", ...base, ...more.route }
  if (documented !== undefined) return { kind: "documented", ...base, reason: documented }
  return { kind: "statement", ...base, ...(outcome === undefined ? {} : { outcome }) }
}
