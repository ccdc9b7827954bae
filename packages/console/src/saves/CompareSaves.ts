import { readSave } from "@atrium/sdk/saves"
import { fromDescriptor } from "@atrium/sdk/schema"

import { type Part, partsOf, previewOf, textOf } from "../room/StateNode.ts"

/** The bytes of a save, and the descriptor of the schema that it was written with. */
export interface SaveSide {
  readonly bytes: Uint8Array
  readonly schema: unknown
}

/** A part of the state that differs; `null` = that save does not have it. */
export interface Change {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

export interface Comparison {
  /** The first ones, in the order of the state. */
  readonly changes: ReadonlyArray<Change>
  readonly total: number
}

/** Changes that a comparison lists. */
export const listedMax = 2000

/**
 * Compares two saves of a room, each as its own schema describes it. Throws for bytes that are no save of that schema.
 */
export const compareSaves = (before: SaveSide, after: SaveSide): Comparison =>
  compareStates(stateOf(before), stateOf(after))

/** Compares two states field by field. A part that only one of them has is one change. */
export const compareStates = (before: object, after: object): Comparison => {
  const changes: Array<Change> = []
  let total = 0
  const note = (change: Change): void => {
    total++
    if (changes.length < listedMax) changes.push(change)
  }
  compareParts("", { old: entriesOf(before), now: entriesOf(after) }, note)
  return { changes, total }
}

const stateOf = ({ bytes, schema }: SaveSide): object =>
  readSave(fromDescriptor(schema), bytes).state

type Entries = ReadonlyMap<string, unknown>

interface Sides<Of> {
  readonly old: Of
  readonly now: Of
}

type Note = (change: Change) => void

const compareParts = (path: string, { old, now }: Sides<Entries>, note: Note): void => {
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const place = path === "" ? name : `${path} › ${name}`
    if (!now.has(name)) note({ path: place, before: shortText(old.get(name)), after: null })
    else if (!old.has(name)) note({ path: place, before: null, after: shortText(now.get(name)) })
    else compareValues(place, { old: old.get(name), now: now.get(name) }, note)
  }
}

const compareValues = (path: string, { old, now }: Sides<unknown>, note: Note): void => {
  const [was, is] = [partsOf(old), partsOf(now)]
  if (was !== null && is !== null) {
    compareParts(path, { old: mapOf(was.first(was.count)), now: mapOf(is.first(is.count)) }, note)
  } else if (was !== null || is !== null) {
    note({ path, before: shortText(old), after: shortText(now) })
  } else if (!isSame(old, now)) {
    note({ path, ...textsOf(old, now) })
  }
}

const entriesOf = (value: object): Entries => mapOf(Object.entries(value))
const mapOf = (parts: ReadonlyArray<Part>): Entries => new Map(parts)

const isSame = (old: unknown, now: unknown): boolean => {
  if (!(old instanceof Uint8Array) || !(now instanceof Uint8Array)) {
    return old === now || Object.is(old, now)
  }
  return old.length === now.length && old.every((byte, at) => byte === now[at])
}

const shortText = (value: unknown): string => {
  const parts = partsOf(value)
  return parts === null ? textOf(value) : previewOf(parts)
}

/** Signs before the first difference of two long texts that are shown. */
const contextMax = 40

/** Two texts that begin alike are shown from shortly before the place where they differ. */
const textsOf = (old: unknown, now: unknown): { before: string; after: string } => {
  if (typeof old !== "string" || typeof now !== "string") {
    return { before: textOf(old), after: textOf(now) }
  }
  let same = 0
  while (same < old.length && old[same] === now[same]) same++
  const from = Math.max(0, same - contextMax)
  const textFrom = (text: string): string =>
    `${from === 0 ? "" : `… (from sign ${from + 1}) `}${textOf(text.slice(from))}`
  return { before: textFrom(old), after: textFrom(now) }
}
