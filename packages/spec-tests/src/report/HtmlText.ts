/** A piece of HTML: what is put into it is escaped, unless it is HTML itself. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Piece = string | number | Html | ReadonlyArray<Piece>

/** The only way to make HTML: `` html`<p>${anything}</p>` ``. */
export const html = (strings: TemplateStringsArray, ...pieces: ReadonlyArray<Piece>): Html =>
  new Html(strings.reduce((text, string, at) => text + rendered(pieces[at - 1] ?? "") + string))

const rendered = (piece: Piece): string => {
  if (piece instanceof Html) return piece.text
  if (typeof piece === "object") return piece.map(rendered).join("")
  return String(piece)
    .toWellFormed()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
}
