/** Characters that move a terminal's cursor, colour the text that follows or turn its direction. */
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A text from elsewhere as one line without characters that act on a terminal. */
export const printable = (text: string): string => text.replace(unprintable, "\u{fffd}")

/** The same for several lines. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n")
