/** The literals of one row or several, of the suite's own. `Section.ts` has the rows that hold them. */
export type Row =
  | Boundary
  | Bucket
  | ErrorRow
  | Move
  | Keep
  | Shape
  | FileRow
  | Text
  | Route
  | Statement
  | Documented

export interface RowBase {
  /** The requirements that it proves. The first names the row. */
  readonly ids: readonly [string, ...Array<string>]
  /** Numbers of the specification's line that no other field holds, in the units written there. */
  readonly numbers?: ReadonlyArray<number>
  /** `E_` codes of the line that no other field holds. */
  readonly codes?: ReadonlyArray<string>
  /** Further literals of the line, by what they are; spans in ms, sizes in bytes. */
  readonly is?: Readonly<Record<string, Json>>
}

export type Unit = "bytes" | "chars" | "count" | "ms" | "utf16"

/** How an implementation says no. Fields that are absent are not looked at. */
export interface Refused {
  readonly status?: number
  readonly code?: string
  /** The WebSocket close code, or `open`: the connection goes on. */
  readonly close?: number | "open"
}

/** The largest (or smallest) that is taken, and the first beyond it. */
export interface Boundary extends RowBase {
  readonly kind: "boundary"
  readonly unit: Unit
  readonly accept: number
  readonly refuse: number
  /** The smallest that is taken, where `accept` is the largest. */
  readonly least?: number
  /** Both ends of what is neither: 1 KB is 1000 or 1024 bytes. In strict runs there is none. */
  readonly grey?: readonly [number, number]
  readonly outcome: Refused
}

/** A token bucket: `burst` at once, then `rate` in each `perMs`. */
export interface Bucket extends RowBase {
  readonly kind: "bucket"
  readonly endpoint: string
  readonly key: "address" | "project" | "room" | "connection"
  readonly burst: number
  readonly rate: number
  readonly perMs: number
  readonly outcome: Refused
  /** The row whose allowance is drawn before this one. */
  readonly drawnAfter?: string
  readonly told?: "once"
}

/** A refusal: when it comes is said by the check. */
export interface ErrorRow extends RowBase {
  readonly kind: "error"
  readonly outcome: Refused
  /** The name that the message must contain. */
  readonly names?: string
  /** The row whose answer has the same bytes. */
  readonly identicalTo?: string
}

/** A move of a state machine that the specification shows. */
export interface Move extends RowBase {
  readonly kind: "move"
  readonly subject: "key" | "room" | "row" | "socket" | "worker" | "relay" | "caps" | "match"
  readonly from: string
  readonly trigger: string
  readonly guard?: string
  readonly to: string
  readonly outcome?: Refused
}

/** How long something is kept, and what becomes of it. */
export interface Keep extends RowBase {
  readonly kind: "keep"
  readonly datum: string
  readonly forMs: number | "forever"
  /** How many stay, the newest. */
  readonly newest?: number
  /** It goes at the first of these after its time. */
  readonly sweepMs?: number
  readonly becomes: "gone" | "defaults" | "pruned" | "stays"
}

/** Fields of an answer or a body, as the suite's own JSON shapes. */
export interface Shape extends RowBase {
  readonly kind: "shape"
  readonly of: string
  readonly fields: Readonly<Record<string, FieldShape>>
  /** No other fields. */
  readonly exact?: true
}

export interface FieldShape {
  readonly type: ReadonlyArray<"string" | "integer" | "boolean" | "null" | "array" | "object">
  /** Source of a regular expression that a string matches whole. */
  readonly pattern?: string
  readonly values?: ReadonlyArray<string | number | boolean>
}

/** A key of the project file: what is bad, what is good, and who says so. */
export interface FileRow extends RowBase {
  readonly kind: "file"
  readonly key: string
  readonly bad: ReadonlyArray<Json>
  readonly good: ReadonlyArray<Json>
  readonly commands: ReadonlyArray<string>
  readonly verdict: "refuse" | "absent" | "warn"
  readonly names: ReadonlyArray<string>
}

export type Json =
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<Json>
  | { readonly [key: string]: Json }

/** What a text must look like: all of `good` match `pattern`, none of `bad` does. */
export interface Text extends RowBase {
  readonly kind: "text"
  /** Source of a regular expression that it matches whole. */
  readonly pattern: string
  readonly good: ReadonlyArray<string>
  readonly bad: ReadonlyArray<string>
  readonly outcome: Refused
}

/** A route, and who may take it: `key` is an API key, `project` the id alone. */
export interface Route extends RowBase {
  readonly kind: "route"
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | "various"
  /** As written, `:id` and the like in place. */
  readonly path: string
  readonly credential: "key" | "login" | "project"
  readonly scope?: "rooms:read" | "rooms:write"
  /** D-01. */
  readonly success: number
}

/** A behaviour that no other kind of row says: the sentence is its requirement's. */
export interface Statement extends RowBase {
  readonly kind: "statement"
  readonly outcome?: Refused
}

/** Nothing can be asked of an implementation: the reason stands for the check. */
export interface Documented extends RowBase {
  readonly kind: "documented"
  readonly reason: string
}
