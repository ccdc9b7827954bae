/** Characters that act on a terminal, break a line or turn the direction of a text. */
export const controlCharacters =
  /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

const shortForms: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"]
])

/**
 * Makes a text one line without controls: each control becomes its escape, such as `\u001b`. Within
 * JSON the value stays the same.
 */
export const visibleText = (text: string): string =>
  text.replace(
    controlCharacters,
    (control) =>
      shortForms.get(control) ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
