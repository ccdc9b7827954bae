/** One change of a source file: what stands there once, and what is read instead. */
export interface Edit {
  readonly id: string
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** Finds a text however the formatter broke its lines: where it puts a break, any space is as good. */
const anywhereBroken = (text: string): RegExp => {
  const parts = text.split(/(\s+|[()[\]{}?:])/).filter((part) => part !== "")
  const patterns = parts.map((part) => {
    if (/^\s+$/.test(part)) return "\\s+"
    return /^[()[\]{}?:]$/.test(part) ? `\\s*\\${part}\\s*` : RegExp.escape(part)
  })
  const joined = patterns.join("").replaceAll("\\s*\\s+", "\\s+").replaceAll("\\s+\\s*", "\\s+")
  // A break that the formatter put beside a bracket is no part of the text at its ends.
  return new RegExp(joined.replace(/^\\s[*+]/, "").replace(/\\s[*+]$/, ""), "g")
}

/** Throws unless `find` is there exactly once: a mutant that changes nothing would survive for ever. */
export const mutated = (source: string, { id, file, find, replace }: Edit): string => {
  const places = [...source.matchAll(anywhereBroken(find))]
  const [place] = places
  if (place === undefined || places.length > 1) {
    throw new Error(`${id}: ${file} has its text ${places.length} times`)
  }
  const text = source.slice(0, place.index) + replace + source.slice(place.index + place[0].length)
  if (text === source) throw new Error(`${id}: it changes nothing`)
  return text
}
