/** How often the kind of character changes: capital, small letter, digit. */
const changes = (text: string): number => {
  const kinds = [...text].map((character) =>
    /[0-9]/.test(character) ? 0 : /[A-Z]/.test(character) ? 1 : 2
  )
  return kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length
}

const isHex = (part: string): boolean =>
  /^[0-9a-f]{8,64}$/.test(part) && /[0-9]/.test(part) && /[a-f]/.test(part)

/** Eight letters and digits as no name mixes them: `Player2D` is none. */
const isMixed = (part: string): boolean =>
  /^[A-Za-z0-9]{8}$/.test(part) && /[0-9]/.test(part) && changes(part) >= 4

/**
 * Whether a bundler has put a hash of the content into the name of a file, as in `index-Bk3x9QzT.js` and
 * `main.8c5f1d2a.css`: such a file never changes under its name. A hash that looks like a word or a date
 * counts for none, as the file would stay with visitors for a year; pages never count. Source: C-359.
 */
export const hasHashedName = (path: string): boolean => {
  const [, ...parts] = path.slice(path.lastIndexOf("/") + 1).split(/[-.]/)
  const extension = parts.pop()
  return (
    extension !== "html" &&
    extension !== "htm" &&
    parts.some((part) => isHex(part) || isMixed(part))
  )
}
