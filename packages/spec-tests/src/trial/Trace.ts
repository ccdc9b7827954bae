import { curlOf } from "./Curl.ts"
import type { HttpAnswer, HttpRequest } from "./HttpProbe.ts"
import type { Secrets } from "./Secrets.ts"

const linesMax = 60
const bodyMax = 300
/** Characters beyond the shown text that are searched for secrets: a secret cut in two would match no form. */
const marginChars = 600

/** One line of a trace, as it was; `shown` masks it. */
interface TraceLine {
  readonly raw: string
  shown(): string
}

/**
 * The story of a check, for the report of its failure. Secrets are masked when somebody reads it:
 * most checks hold, and to mask each exchange of those took an eighth of their time.
 */
export class Trace {
  readonly #secrets: Secrets
  readonly #lines: Array<TraceLine> = []
  #last: HttpRequest | null = null

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  exchange({ request, status, text, tookMs }: HttpAnswer): void {
    const before = this.#lines.at(-2)?.raw
    this.asked(request)
    // A check that waits asks the same again and again: the last answer tells.
    if (before === this.#lines.at(-1)?.raw) this.#lines.splice(-3, 2)
    const head = `  ${status} in ${Math.round(tookMs)} ms: `
    const window = windowOf(text)
    this.#push({ raw: head + window.text, shown: () => head + this.#cut(window) })
  }

  /** A request, answered or not. */
  asked(request: HttpRequest): void {
    if (this.#last === request) return
    this.#last = request
    const { method } = request
    const path = windowOf(request.path)
    const auth = request.bearer === undefined ? "" : ` [${request.bearer}]`
    const body = request.body === undefined ? null : windowOf(bodyText(request.body))
    this.#push({
      raw: `${method} ${path.text}${auth} ${body?.text ?? ""}`,
      shown: () => {
        const sent = body === null ? "" : ` ${this.#cut(body)}`
        return this.#secrets.masked(`${method} ${this.#cut(path)}${auth}${sent}`)
      }
    })
  }

  note(line: string): void {
    this.#push({ raw: line, shown: () => this.#secrets.masked(line) })
  }

  lines(): ReadonlyArray<string> {
    return this.#lines.map((line) => line.shown())
  }

  /** The last exchange as a command; credentials are the caller's environment. */
  curl(base: string): string | null {
    return this.#last === null ? null : this.#secrets.masked(curlOf(this.#last, base))
  }

  #push(line: TraceLine): void {
    this.#lines.push(line)
    if (this.#lines.length > linesMax) this.#lines.shift()
  }

  #cut({ text, chars }: Window): string {
    const shown = this.#secrets.masked(text)
    const whole = text.length < chars ? shown.replace(/[\w.-]+$/, "") : shown
    if (whole.length <= bodyMax && text.length === chars) return whole
    return `${whole.slice(0, bodyMax)}… (${chars} chars)`
  }
}

/** The beginning of a text, as far as a trace looks at it. */
interface Window {
  readonly text: string
  /** Of the whole text. */
  readonly chars: number
}

const windowOf = (text: string): Window => ({
  text: text.slice(0, bodyMax + marginChars),
  chars: text.length
})

const bodyText = (body: unknown): string => {
  if (body instanceof Uint8Array) return `${body.byteLength} bytes`
  return typeof body === "string" ? body : (JSON.stringify(body) ?? "")
}
