import type { WriteStream } from "node:tty"

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35 } as const

export type Paint = (text: string, how: keyof typeof codes) => string

/**
 * The terminal: a part at the bottom that is drawn again in place, where that is possible, and
 * lines above it that stay.
 */
export class Screen {
  /** The picture can be drawn in place. */
  readonly live: boolean
  readonly paint: Paint
  readonly #out: WriteStream
  #drawn = 0

  constructor(out: WriteStream, env: NodeJS.ProcessEnv) {
    const { NO_COLOR = "", TERM } = env
    const capable = out.isTTY && TERM !== "dumb"
    this.live = capable && out.columns >= 72 && out.rows >= 28
    this.paint = (text, how) =>
      capable && NO_COLOR === "" ? `\u001b[${codes[how]}m${text}\u001b[0m` : text
    this.#out = out
  }

  /** A line that stays. */
  say(line: string): void {
    this.#drawn = 0
    this.#out.write(`${line}\n`)
  }

  /** Lines that the next call of `draw` replaces. Only where the screen is live. */
  draw(lines: ReadonlyArray<string>): void {
    const up = this.#drawn === 0 ? "" : `\u001b[${this.#drawn}A`
    this.#out.write(up + lines.map((line) => `\u001b[2K${line}\n`).join(""))
    this.#drawn = lines.length
  }
}
