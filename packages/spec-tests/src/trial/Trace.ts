import { curlOf } from "./Curl.ts"
import type { HttpAnswer, HttpRequest } from "./HttpProbe.ts"
import type { Secrets } from "./Secrets.ts"

const linesMax = 60
const bodyMax = 300
/** What is looked at for secrets beyond what is shown, so that none is cut into what no form fits. */
const marginChars = 600

/** What happened in a check, for the report of its failure. Secrets are masked. */
export class Trace {
  readonly #secrets: Secrets
  readonly #lines: Array<string> = []
  #last: HttpRequest | null = null

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  exchange({ request, status, text, tookMs }: HttpAnswer): void {
    const before = this.#lines.at(-2)
    this.asked(request)
    // Who waits for something asks the same again and again: the last answer tells.
    if (before === this.#lines.at(-1)) this.#lines.splice(-3, 2)
    this.#push(`  ${status} in ${Math.round(tookMs)} ms: ${this.#cut(text)}`)
  }

  /** A request, answered or not. */
  asked(request: HttpRequest): void {
    if (this.#last === request) return
    this.#last = request
    const auth = request.bearer === undefined ? "" : ` [${request.bearer}]`
    const sent = request.body === undefined ? "" : ` ${this.#cut(bodyText(request.body))}`
    this.note(`${request.method} ${this.#cut(request.path)}${auth}${sent}`)
  }

  note(line: string): void {
    this.#push(this.#secrets.masked(line))
  }

  lines(): ReadonlyArray<string> {
    return this.#lines
  }

  /** The last exchange as a command; credentials are the caller's environment. */
  curl(base: string): string | null {
    return this.#last === null ? null : this.#secrets.masked(curlOf(this.#last, base))
  }

  #push(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > linesMax) this.#lines.shift()
  }

  #cut(text: string): string {
    const window = text.slice(0, bodyMax + marginChars)
    const shown = this.#secrets.masked(window)
    const whole = window.length < text.length ? shown.replace(/[\w.-]+$/, "") : shown
    if (whole.length <= bodyMax && window.length === text.length) return whole
    return `${whole.slice(0, bodyMax)}… (${text.length} chars)`
  }
}

const bodyText = (body: unknown): string => {
  if (body instanceof Uint8Array) return `${body.byteLength} bytes`
  return typeof body === "string" ? body : (JSON.stringify(body) ?? "")
}
