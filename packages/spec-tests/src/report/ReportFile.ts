import { closeSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"

import type { ReportLine } from "./ReportLine.ts"

/** A file of JSON lines that has every line as soon as it is there. */
export class ReportFile {
  readonly #file: number

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true })
    this.#file = openSync(path, "w")
  }

  write(line: ReportLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}
