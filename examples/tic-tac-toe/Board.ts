/** What is in a cell; `undefined` = a mark that this page is too old to know. */
type Cell = "none" | "x" | "o" | undefined

const Shapes = {
  x: "M20 20 80 80 M80 20 20 80",
  o: "M50 16a34 34 0 1 0 0.1 0z"
} as const

const Lines = ["012", "345", "678", "036", "147", "258", "048", "246"]

/** The nine cells, as buttons that say their place and what is in them. */
export class Board {
  readonly #cells: ReadonlyArray<HTMLButtonElement>
  #shown = ""

  constructor(place: HTMLElement, choose: (cell: number) => void) {
    this.#cells = Array.from({ length: 9 }, (_, at) => {
      const button = document.createElement("button")
      button.type = "button"
      button.className = "cell"
      button.addEventListener("click", () => {
        // A disabled button would lose the focus of the keyboard.
        if (button.getAttribute("aria-disabled") === "false") choose(at)
      })
      return button
    })
    place.replaceChildren(...this.#cells)
    this.show([], false)
  }

  /** @param ownTurn whether empty cells may be chosen */
  show(cells: ReadonlyArray<Cell>, ownTurn: boolean): void {
    const text = JSON.stringify([cells, ownTurn])
    if (text === this.#shown) return
    this.#shown = text
    const won = new Set(lineOf(cells))
    for (const [at, button] of this.#cells.entries()) {
      const mark = cells[at] ?? "none"
      const place = `row ${Math.floor(at / 3) + 1}, column ${(at % 3) + 1}`
      button.setAttribute("aria-label", `${place}: ${mark === "none" ? "empty" : mark}`)
      button.setAttribute("aria-disabled", String(!ownTurn || mark !== "none"))
      button.classList.toggle("won", won.has(at))
      if (button.dataset["mark"] === mark) continue
      button.dataset["mark"] = mark
      button.classList.toggle("x", mark === "x")
      button.classList.toggle("o", mark === "o")
      button.replaceChildren(...pictureOf(mark))
    }
  }
}

/** What an x or an o looks like; an empty cell has no picture. */
const pictureOf = (mark: NonNullable<Cell>): ReadonlyArray<Element> => {
  if (mark === "none") return []
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg")
  picture.setAttribute("viewBox", "0 0 100 100")
  picture.setAttribute("aria-hidden", "true")
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path")
  path.setAttribute("d", Shapes[mark])
  picture.append(path)
  return [picture]
}

/** The three cells of a finished line, if there is one. */
const lineOf = (cells: ReadonlyArray<Cell>): ReadonlyArray<number> => {
  const line = Lines.find((each) => {
    const [first, ...rest] = [...each].map((at) => cells[Number(at)] ?? "none")
    return first !== "none" && rest.every((mark) => mark === first)
  })
  return [...(line ?? "")].map(Number)
}
