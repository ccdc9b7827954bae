import { ConditionWait } from "./ConditionWait.ts"
import { RawConnection } from "./RawConnection.ts"

/** One answer as it came, to the byte. */
export interface RawAnswer {
  readonly status: number
  /** Names in lower case, in the order in which they came. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer
}

export const headerOf = ({ headers }: RawAnswer, name: string): string | null =>
  headers.find(([each]) => each === name)?.[1] ?? null

/** Longest wait for an answer, on a machine that is busy. */
const AnswerMs = 30_000

/** A connection to an HTTP server that reads answers, also to requests that break the protocol. */
export class RawHttp extends RawConnection {
  readonly #wait = new ConditionWait()

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    super({ host: hostname, port: Number(port) })
  }

  /** The bytes that came and are no answer yet. */
  get left(): string {
    return this.rest.toString("latin1")
  }

  /**
   * The next final answer; `null` when the connection ends without one. Errors: `Error` when bytes come
   * that are none, or nothing comes in time.
   */
  async answer({ headOnly = false, withinMs = AnswerMs } = {}): Promise<RawAnswer | null> {
    for (;;) {
      const next = (): Read | null => readAnswer(this.rest, { headOnly, ended: this.ended })
      if (!(await this.#wait.until(() => this.ended || next() !== null, withinMs))) {
        throw new Error(`no answer within ${withinMs} ms; came: ${this.left.slice(0, 200)}`)
      }
      const read = next()
      if (read === null && this.rest.length === 0) return null
      if (read === null) throw new Error(`half an answer: ${this.left.slice(0, 200)}`)
      this.rest = this.rest.subarray(read.length)
      // What comes before the final one, such as 100 Continue, answers nothing.
      if (read.answer.status >= 200 || read.answer.status === 101) return read.answer
    }
  }

  /** Whether the service ends the connection within that time, with nothing more to say. */
  async ends(withinMs = AnswerMs): Promise<boolean> {
    await this.#wait.until(() => this.ended || this.rest.length > 0, withinMs)
    return this.ended && this.rest.length === 0
  }

  protected came(): void {
    this.#wait.changed()
  }

  protected over(): void {
    this.#wait.changed()
  }
}

interface Read {
  readonly answer: RawAnswer
  /** Bytes that it takes. */
  readonly length: number
}

/** `null` while it is not there as a whole. Source: RFC 9112. */
const readAnswer = (
  bytes: Buffer,
  { headOnly, ended }: { readonly headOnly: boolean; readonly ended: boolean }
): Read | null => {
  const headEnd = bytes.indexOf("\r\n\r\n")
  if (headEnd < 0) return null
  const [line = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n")
  const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(line)?.[1])
  if (!Number.isInteger(status)) throw new Error(`not HTTP: ${line}`)
  const headers = lines.map((each) => {
    const [, name, value] = /^([!-9;-~]+): ?(.*)$/.exec(each) ?? []
    if (name === undefined || value === undefined) throw new Error(`not a header: ${each}`)
    return [name.toLowerCase(), value] as const
  })
  const valueOf = (name: string): string | undefined => headers.find(([each]) => each === name)?.[1]
  const read = (body: Buffer, length: number): Read => ({
    answer: { status, headers, body },
    length: headEnd + 4 + length
  })
  const rest = bytes.subarray(headEnd + 4)
  if (headOnly || status < 200 || status === 204 || status === 304) return read(Buffer.alloc(0), 0)
  if (valueOf("transfer-encoding") === "chunked") {
    const chunked = unchunk(rest)
    return chunked === null ? null : read(chunked.body, chunked.length)
  }
  const announced = valueOf("content-length")
  if (announced === undefined) return ended ? read(rest, rest.length) : null
  const length = Number(announced)
  return rest.length < length ? null : read(rest.subarray(0, length), length)
}

const unchunk = (bytes: Buffer): { readonly body: Buffer; readonly length: number } | null => {
  const chunks: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf("\r\n", at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16)
    const end = lineEnd + 2 + size + 2
    if (bytes.length < end) return null
    if (size === 0) return { body: Buffer.concat(chunks), length: end }
    chunks.push(bytes.subarray(lineEnd + 2, end - 2))
    at = end
  }
}
