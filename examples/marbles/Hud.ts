import type { Camera, Point } from "./Camera.ts"
import { Colours } from "./Picture.ts"
import type { MarblesState, SeenMarble } from "./Steering.ts"
import { MarbleRadius } from "./World.ts"

const Animals = ["Otter", "Heron", "Badger", "Lynx", "Swift", "Newt", "Robin", "Hare"] as const
const NewsMs = 2500

/** A player without a name is called by an animal, the same one on every page. */
export const nameOf = ({ playerId, name }: SeenMarble): string => {
  if (name !== "guest") return name
  const sum = [...playerId].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 7)
  return Animals[sum % Animals.length] ?? name
}

export interface HudElements {
  readonly names: HTMLElement
  readonly scores: HTMLOListElement
  readonly clock: HTMLElement
  readonly news: HTMLElement
}

/** What is written over the picture: names, points, the time, and what has just happened. */
export class Hud {
  readonly #elements: HudElements
  readonly #names = new Map<number, HTMLElement>()
  #scoresShown = ""
  #newsUntilMs = 0
  #news = ""

  constructor(elements: HudElements) {
    this.#elements = elements
  }

  /** Says something for a moment. */
  tell(text: string): void {
    this.#news = text
    this.#newsUntilMs = performance.now() + NewsMs
  }

  show(state: MarblesState, own: SeenMarble | undefined, tickHz: number): void {
    const { game, marbles } = state
    const seconds = Math.max(0, Math.ceil((game.endsTick - game.tick) / tickHz))
    const { clock, news } = this.#elements
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
    setText(clock, game.pause ? `Next round in ${seconds}` : time)
    const winner = marbles.get(game.winner)
    const isNews = performance.now() < this.#newsUntilMs
    if (!game.pause) setText(news, isNews ? this.#news : "")
    else if (winner === undefined) setText(news, "A draw")
    else setText(news, winner === own ? "You have won the round" : `${nameOf(winner)} has won`)
    this.#scores([...marbles], own)
  }

  /** Puts a name over its marble. */
  name(marble: SeenMarble, at: Point, camera: Camera): void {
    const label = this.#names.get(marble.id) ?? this.#label(marble.id)
    setText(label, nameOf(marble))
    const { left, top } = camera.spotOf({ ...at, y: at.y + 1.5 * MarbleRadius })
    label.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px) translate(-50%, -100%)`
    label.hidden = at.y < -1
  }

  /** Takes the names of marbles that are gone. */
  forget(state: MarblesState): void {
    for (const [id, label] of this.#names) {
      if (state.marbles.has(id)) continue
      label.remove()
      this.#names.delete(id)
    }
  }

  #label(id: number): HTMLElement {
    const label = document.createElement("span")
    this.#names.set(id, label)
    this.#elements.names.append(label)
    return label
  }

  #scores(all: ReadonlyArray<SeenMarble>, own: SeenMarble | undefined): void {
    const sorted = all.toSorted((a, b) => b.score - a.score || a.seat - b.seat)
    const shown = JSON.stringify(
      sorted.map(({ id, score, wins, away }) => [id, score, wins, away, id === own?.id])
    )
    if (shown === this.#scoresShown) return
    this.#scoresShown = shown
    const rows = sorted.map((marble) => {
      const row = document.createElement("li")
      row.style.setProperty("--mine", Colours[marble.seat] ?? "")
      row.classList.toggle("own", marble.id === own?.id)
      row.classList.toggle("away", marble.away)
      const name = document.createElement("b")
      name.textContent = marble.id === own?.id ? "You" : nameOf(marble)
      const wins = document.createElement("i")
      wins.textContent = "★".repeat(Math.min(5, marble.wins))
      wins.title = `rounds won: ${marble.wins}`
      const score = document.createElement("output")
      score.textContent = String(marble.score)
      row.append(name, wins, score)
      return row
    })
    this.#elements.scores.replaceChildren(...rows)
  }
}

const setText = (element: HTMLElement, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}
