/** Has the places of choices that are not known here, by the names of fields or the places of items. */
export const Unknown = Symbol("unknown")

/** Places of unknown choices, beside the `undefined` that is read of each. */
export interface HasUnknown {
  readonly [Unknown]?: Readonly<Record<string | number, number>>
}

/** Notes the place of a choice that was read as `undefined`. */
export const noteUnknown = (holder: object, key: string | number, place: number): void => {
  // The symbol is this module's own: what has it holds such a record.
  const noted = holder as { [Unknown]?: Record<string | number, number> }
  const notes = (noted[Unknown] ??= {})
  notes[key] = place
}

/**
 * The place, among the choices of the room's enum, of a choice that this client does not know: the
 * field reads as `undefined` then. `undefined` for a choice that it knows, and for every other field.
 *
 * @param holder a record of the state, a message, arguments, an answer, or a list of choices
 * @param key the field's name, or the place of the item in the list
 */
export const unknownChoice = (holder: object, key: string | number): number | undefined =>
  notesOf(holder)?.[key]

const notesOf = (holder: HasUnknown): HasUnknown[typeof Unknown] => holder[Unknown]
