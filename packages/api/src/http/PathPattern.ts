/** What the paths of a route look like: `:name` is any part, and `/*` at the end everything below, or nothing. */
export const patternOf = (path: string): RegExp => {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  return new RegExp(`^${escaped.replace(/:[A-Za-z]+/g, "[^/]+").replace(/\/\\\*$/, "(?:/.*)?")}$`)
}
