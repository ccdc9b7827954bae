import { lineOf, onPaper, type Point } from "./Line.ts"
import { CornersMax, Inks } from "./schema.ts"

type Ink = (typeof Inks)[number]

/** What clients tell each other many times a second, past the state: where they are and what they draw. */
export interface Hand {
  readonly name: string
  readonly ink: Ink
  readonly at: Point
  /** What is drawn right now, and is no stroke yet. */
  readonly line: ReadonlyArray<Point>
}

const NameCharsMax = 24
/** Nobody says goodbye: a client that is silent for so long is gone. */
export const SilentForMs = 6000

/** As it is sent: flat and small. */
export const packHand = ({ name, ink, at, line }: Hand): unknown => [
  name,
  ink,
  at.x,
  at.y,
  line.flatMap(({ x, y }) => [x, y])
]

/** Other people's programs send this: `null` = it is none. */
export const readHand = (data: unknown): Hand | null => {
  const [name, ink, x, y, corners]: ReadonlyArray<unknown> = Array.isArray(data) ? data : []
  const known = Inks.find((each) => each === ink)
  if (typeof name !== "string" || known === undefined) return null
  if (!isNumber(x) || !isNumber(y) || !Array.isArray(corners)) return null
  if (corners.length > 2 * CornersMax || !corners.every(isNumber)) return null
  const line = lineOf(corners).map(onPaper)
  return { name: name.slice(0, NameCharsMax), ink: known, at: onPaper({ x, y }), line }
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)

/** The others in the room, by what they sent last. */
export class Others {
  readonly #hands = new Map<string, Hand & { readonly heardAtMs: number }>()

  hear(from: string, data: unknown, nowMs: number): void {
    const hand = readHand(data)
    if (hand !== null) this.#hands.set(from, { ...hand, heardAtMs: nowMs })
  }

  list(nowMs: number): ReadonlyArray<Hand> {
    for (const [from, { heardAtMs }] of this.#hands) {
      if (nowMs - heardAtMs >= SilentForMs) this.#hands.delete(from)
    }
    return [...this.#hands.values()]
  }
}
