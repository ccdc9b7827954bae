/**
 * What the description of a list route says of its live form.
 *
 * @param key the field that tells rows apart
 */
export const liveDescription = (key: string): string =>
  "With `accept: text/event-stream` the list is told as it changes: `rows` with `{at, rows}` and then `whole`, " +
  `and from then on \`rows\` that are new or have changed, by \`${key}\`, and \`gone\` with \`{at, gone}\`, their keys.`
