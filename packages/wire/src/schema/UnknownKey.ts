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

/** Letters to insert, delete or replace (Levenshtein); more than `most` are as good as one more. */
const editsBetween = (from: string, to: string, most = EditsMax): number => {
  if (from === to) return 0
  if (most === 0) return 1
  const [rest, toRest] = [from.slice(1), to.slice(1)]
  if (from[0] === to[0]) return editsBetween(rest, toRest, most)
  const left = most - 1
  return (
    1 +
    Math.min(
      editsBetween(rest, toRest, left),
      editsBetween(rest, to, left),
      editsBetween(from, toRest, left)
    )
  )
}
