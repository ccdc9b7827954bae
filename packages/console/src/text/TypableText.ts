import { shownText } from "./ShownText.ts"

/** More signs than that nobody types. */
const typedMax = 64

/**
 * The word that a reader types before something of this id is done: the id, or `delete` for an id that is long or has
 * signs that no reader sees.
 */
export const typable = (id: string): string => {
  const { text, hidden } = shownText(id, typedMax)
  return hidden === 0 && text === id && id.trim() === id ? id : "delete"
}
