/** A choice of the room's enum that is not known here. A reader sees `undefined` in its place. */
export class UnknownChoice {
  /** Its place among the choices. */
  readonly place: number

  constructor(place: number) {
    this.place = place
  }
}

const made: Array<UnknownChoice> = []

/** The unknown choice of a place: the same object each time, so that it can be a key. */
export const unknownAt = (place: number): UnknownChoice =>
  (made[place] ??= new UnknownChoice(place))

/** What a reader sees of a value. */
export const known = (value: unknown): unknown =>
  value instanceof UnknownChoice ? undefined : value

/** Has what a record, a list or a map really holds, unknown choices among it. */
export const Whole = Symbol("whole")

/** A holder whose real values are under {@link Whole}; the key is absent where every choice is known. */
export interface HasWhole {
  readonly [Whole]?: object | undefined
}

/** What a holder really holds. */
export const wholeOf = (holder: HasWhole): object => holder[Whole] ?? holder

/** A list or a record as a reader sees it: the same one, but for unknown choices. */
export const shownOf = <T extends object>(whole: T): T => {
  const values: ReadonlyArray<unknown> = Array.isArray(whole) ? whole : Object.values(whole)
  if (!values.some((value) => value instanceof UnknownChoice)) return whole
  const shown = Array.isArray(whole)
    ? whole.map(known)
    : Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, known(value)]))
  // It has the keys of the other one.
  return Object.defineProperty(shown, Whole, { value: whole }) as T
}

/**
 * The place, among the choices of the room's enum, of a choice that this client does not know: the
 * field reads as `undefined` then. `undefined` for a choice that it knows, and for every other field.
 *
 * @param holder a record of the state, a message, arguments, an answer, a struct, or a list or map of choices
 * @param key the field's name, the place of the item in the list, or the key in the map
 */
export const unknownChoice = (holder: object, key: string | number): number | undefined => {
  const whole = wholeOf(holder)
  const value: unknown = whole instanceof Map ? whole.get(key) : Reflect.get(whole, key)
  return value instanceof UnknownChoice ? value.place : undefined
}
