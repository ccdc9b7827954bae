/** A text of an implementation without what would steer a terminal; line breaks stay. */
export const printable = (text: string): string =>
  text.toWellFormed().replace(/[^\P{C}\n]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
