/** Signs that show nothing, or turn the text around them: a reader sees their numbers. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A text of a tenant, as the console shows it. */
export interface ShownText {
  readonly text: string
  /** UTF-16 units that are left out at the end. */
  readonly hidden: number
}

const codeOf = (sign: string): string =>
  `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`

/**
 * A text of a tenant on one line: cut, and each sign that a reader would not see as `\u202e`. It never becomes
 * markup, and it cannot move what stands beside it.
 *
 * @param unitsMax UTF-16 units that are shown at most
 */
export const shownText = (text: string, unitsMax: number): ShownText => {
  const cut = text.length <= unitsMax ? text : text.slice(0, endOfSign(text, unitsMax))
  return { text: cut.replace(unseen, codeOf), hidden: text.length - cut.length }
}

/** The same as one text, for places that hold no elements: titles and options. Three dots stand for what is cut. */
export const plainText = (text: string, unitsMax: number): string => {
  const shown = shownText(text, unitsMax)
  return shown.hidden === 0 ? shown.text : `${shown.text}…`
}

/** The same where lines may break: line ends and tabs stay. */
export const shownLines = (text: string, unitsMax: number): ShownText => {
  const cut = text.length <= unitsMax ? text : text.slice(0, endOfSign(text, unitsMax))
  const shown = cut.replace(unseen, (sign) =>
    sign === "\n" || sign === "\t" ? sign : codeOf(sign)
  )
  return { text: shown, hidden: text.length - cut.length }
}

/** A pair of surrogates is not cut in two. */
const endOfSign = (text: string, at: number): number => {
  const last = text.charCodeAt(at - 1)
  return last >= 0xd800 && last <= 0xdbff ? at - 1 : at
}
