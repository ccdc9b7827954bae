import { lineOf, onPaper, type Point } from "./Line.ts"
import type { Hand } from "./Others.ts"
import { type Inks, Paper } from "./schema.ts"

export type Ink = (typeof Inks)[number]

/** A stroke with its corners as points, or one that is being drawn. */
interface Drawn {
  readonly ink: Ink
  readonly line: ReadonlyArray<Point>
}

/** A stroke as the room's state has it; an ink that this page is too old to know is `undefined`. */
interface Stroke {
  readonly ink: Ink | undefined
  readonly corners: ReadonlyArray<number>
}

export const colourOf = (ink: Ink): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${ink}`)

/** Where a pointer is on the paper. */
export const pointOf = (sheet: Element, at: { clientX: number; clientY: number }): Point => {
  const { left, top, width, height } = sheet.getBoundingClientRect()
  const [x, y] = [(at.clientX - left) / width, (at.clientY - top) / height]
  return onPaper({ x: x * Paper.width, y: y * Paper.height })
}

/** The canvas: strokes, and on top of them where the others are. */
export class Sheet {
  readonly #pen: CanvasRenderingContext2D
  readonly #canvas: HTMLCanvasElement

  constructor(canvas: HTMLCanvasElement) {
    const pen = canvas.getContext("2d")
    if (pen === null) throw new Error("this browser has no canvas")
    this.#canvas = canvas
    this.#pen = pen
  }

  draw(strokes: Iterable<Stroke>): void {
    this.#fit()
    this.#pen.clearRect(0, 0, Paper.width, Paper.height)
    for (const { ink = "ink", corners } of strokes) this.line({ ink, line: lineOf(corners) })
  }

  line({ ink, line }: Drawn): void {
    const [first, ...rest] = line
    if (first === undefined) return
    const pen = this.#pen
    pen.strokeStyle = colourOf(ink)
    pen.lineWidth = 5
    pen.lineCap = "round"
    pen.lineJoin = "round"
    pen.beginPath()
    pen.moveTo(first.x, first.y)
    // A point is a line that goes nowhere.
    if (rest.length === 0) pen.lineTo(first.x, first.y)
    for (const [at, to] of rest.entries()) {
      const next = rest[at + 1]
      if (next === undefined) pen.lineTo(to.x, to.y)
      else pen.quadraticCurveTo(to.x, to.y, (to.x + next.x) / 2, (to.y + next.y) / 2)
    }
    pen.stroke()
  }

  hand({ name, ink, at, line }: Hand): void {
    const pen = this.#pen
    this.line({ ink, line })
    // A client that has not moved yet has no place.
    if (at.x === 0 && at.y === 0) return
    pen.fillStyle = colourOf(ink)
    pen.beginPath()
    pen.moveTo(at.x, at.y)
    pen.lineTo(at.x + 7, at.y + 24)
    pen.lineTo(at.x + 20, at.y + 15)
    pen.fill()
    pen.font = "600 20px system-ui, sans-serif"
    pen.fillText(name, at.x + 20, at.y + 38)
  }

  /** As many dots as the screen shows, and still the paper's own units. */
  #fit(): void {
    const scale = (this.#canvas.clientWidth * devicePixelRatio) / Paper.width
    const [width, height] = [Math.round(Paper.width * scale), Math.round(Paper.height * scale)]
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width
      this.#canvas.height = height
    }
    this.#pen.setTransform(scale, 0, 0, scale, 0, 0)
  }
}
