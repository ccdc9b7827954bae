/** What no POSIX shell changes, wherever it stands in a word. */
const plain = /^[A-Za-z0-9_.,:/@%+-][A-Za-z0-9_.,:/@%+=-]*$/

/** A value as one word of a POSIX shell, which reads back exactly the value. */
export const quoted = (value: string): string =>
  plain.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
