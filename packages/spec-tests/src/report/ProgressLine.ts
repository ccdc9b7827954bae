import type { Status } from "../engine/CheckResult.ts"
import type { Progress } from "../engine/RunSuite.ts"

const everyMs = 5000

export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Says on standard error how far a run is: one line on a terminal, else a line now and then. */
export class ProgressLine {
  readonly #output: Output
  readonly #beganMs = performance.now()
  #saidMs = 0
  #phase = ""
  #reds = 0

  constructor(output: Output) {
    this.#output = output
  }

  result(status: Status): void {
    if (["fail", "untestable", "error"].includes(status)) this.#reds++
  }

  progress({ phase, done, of }: Progress): void {
    const nowMs = performance.now()
    const isNews = phase !== this.#phase || nowMs - this.#saidMs >= everyMs
    if (this.#output.isTTY !== true && !isNews) return
    this.#phase = phase
    this.#saidMs = nowMs
    const seconds = Math.round((nowMs - this.#beganMs) / 1000)
    const count = of === 0 ? "" : ` ${done} of ${of} checks, ${this.#reds} red,`
    const text = `${phase}:${count} ${seconds} s`
    this.#output.write(this.#output.isTTY === true ? `\r\u001b[K${text}` : `${text}\n`)
  }

  end(): void {
    if (this.#output.isTTY === true) this.#output.write("\r\u001b[K")
  }
}
