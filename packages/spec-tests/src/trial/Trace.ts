import type { HttpAnswer } from "./HttpProbe.ts"

const linesMax = 60
const bodyMax = 300

/** What happened in a check, for the report of its failure. Secrets are masked. */
export class Trace {
  readonly #lines: Array<string> = []

  exchange({ request, status, text, tookMs }: HttpAnswer): void {
    const auth = request.bearer === undefined ? "" : ` [${request.bearer}]`
    const sent = request.body === undefined ? "" : ` ${bodyText(request.body)}`
    this.note(`${request.method} ${request.path}${auth}${sent}`)
    this.note(`  ${status} in ${Math.round(tookMs)} ms: ${text.slice(0, bodyMax)}`)
  }

  note(line: string): void {
    this.#lines.push(masked(line))
    if (this.#lines.length > linesMax) this.#lines.shift()
  }

  lines(): ReadonlyArray<string> {
    return this.#lines
  }
}

const bodyText = (body: unknown): string => {
  if (body instanceof Uint8Array) return `${body.byteLength} bytes`
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return text.length > bodyMax ? `${text.slice(0, bodyMax)}… (${text.length} chars)` : text
}

/** Secrets are 43 characters after a prefix, tokens have three parts. */
export const masked = (text: string): string =>
  text
    .replace(/\b([a-z]{2,4}_)?[A-Za-z0-9_-]{43}\b/g, "$1…")
    .replace(/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, "eyJ…")
