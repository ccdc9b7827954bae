/** A misspelling is at most this many edits away from what was meant. */
const EditsMax = 3
const ShownCharsMax = 32

/**
 * Says which key of a declaration nothing reads, and the known key that is closest to it; `null` when
 * every key is known. A misspelt setting would otherwise pass as one that was left out.
 */
export const unknownKey = (declared: object, known: ReadonlyArray<string>): string | null => {
  const key = Object.keys(declared).find((name) => !known.includes(name))
  if (key === undefined) return null
  const nearest = nearestName(key, known)
  const hint = nearest === null ? `known are ${known.join(", ")}` : `did you mean ${nearest}?`
  return `${key.slice(0, ShownCharsMax)}: unknown key; ${hint}`
}

/** The name that a misspelt one most likely means; `null` = none is near. */
export const nearestName = (key: string, known: ReadonlyArray<string>): string | null => {
  const [nearest] = known
    .map((name) => ({ name, edits: editsBetween(key.toLowerCase(), name.toLowerCase()) }))
    // A short name has nothing in common with a key that changes half of its letters.
    .filter(({ name, edits }) => edits <= EditsMax && edits * 2 <= name.length)
    .toSorted((a, b) => a.edits - b.edits)
  return nearest?.name ?? null
}

/** Letters to insert, delete or replace (Levenshtein). Past twice the length of a name it gives up. */
const editsBetween = (from: string, to: string): number => {
  if (from.length > to.length * 2) return from.length
  let row = Array.from({ length: to.length + 1 }, (_, place) => place)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (let place = 1; place <= to.length; place += 1) {
      const replaced = at(row, place - 1) + (to[place - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, at(row, place) + 1, at(next, place - 1) + 1))
    }
    row = next
  }
  return at(row, to.length)
}

const at = (row: ReadonlyArray<number>, place: number): number => row[place] ?? Infinity
