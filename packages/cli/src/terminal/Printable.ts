import { controlCharacters } from "@atrium/domain/shared/VisibleText"

/** A text from elsewhere as one line without characters that act on a terminal. */
export const printable = (text: string): string => text.replace(controlCharacters, "\u{fffd}")

/** The same for several lines. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n")
