import { StringDecoder } from "node:string_decoder"

import { TextLimits } from "@atrium/wire/text/TextLimits"

/** Splits a stream into lines. The rest of a line that is too long is dropped. */
export class LineReader {
  readonly #decoder = new StringDecoder("utf8")
  readonly #onLine: (line: string) => void
  #line = ""

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  read(chunk: Buffer): void {
    const parts = this.#decoder.write(chunk).split("\n")
    for (const [index, part] of parts.entries()) {
      if (index > 0) this.#flush()
      this.#line += part.slice(0, TextLimits.logLineUnits.max - this.#line.length)
    }
  }

  end(): void {
    if (this.#line !== "") this.#flush()
  }

  #flush(): void {
    const line = this.#line
    this.#line = ""
    if (line !== "") this.#onLine(line)
  }
}
