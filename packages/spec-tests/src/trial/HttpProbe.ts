import { type IncomingMessage, type OutgoingHttpHeaders, Agent, request as plain } from "node:http"
import { Agent as SecureAgent, request as secure } from "node:https"

import { Mismatch } from "../check/Expect.ts"

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "HEAD"
  /** From the root, with its query, sent as it is written here. */
  readonly path: string
  /** Sent as `authorization: Bearer …`. */
  readonly bearer?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. Text and bytes are sent as they are. */
  readonly body?: unknown
  /** Another server than the one under test. */
  readonly base?: string
}

export interface HttpAnswer {
  readonly request: HttpRequest
  readonly status: number
  /** Names in lower case, whatever was sent. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly text: string
  /** The body as JSON; undefined = it is none. */
  readonly json: unknown
  readonly tookMs: number
}

const answerMax = 64 * 1024 * 1024

/** There was no answer of HTTP: the connection broke, or something else was said. */
class NoAnswer extends Mismatch {
  /** Of Node: `ECONNRESET`, `ECONNREFUSED`, `HPE_…`. */
  readonly code: string
  constructor({ method, path }: HttpRequest, code: string) {
    super(`${method} ${path.slice(0, 100)}`, { expected: "an answer", actual: code })
    this.code = code
  }
}

/** A kept connection was closed by its other end while a request was on its way to it. */
class LateConnection extends Error {}

interface Connecting {
  readonly signal: AbortSignal
  /** null = a connection of its own. */
  readonly agents: { readonly "http:": Agent; readonly "https:": SecureAgent } | null
}

/** Connections of one run, kept open between exchanges. */
export class HttpProbe {
  readonly #agents = {
    "http:": new Agent({ keepAlive: true, maxSockets: 64 }),
    "https:": new SecureAgent({ keepAlive: true, maxSockets: 64 })
  }
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const beganMs = performance.now()
    const agents = this.#agents
    const { message, bytes } = await this.#exchange(request, { signal, agents }).catch(
      (cause: unknown) => {
        if (!(cause instanceof LateConnection)) throw cause
        return this.#exchange(request, { signal, agents: null })
      }
    )
    const text = Buffer.from(bytes).toString("utf8")
    const headers = Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : (value ?? "")
      ])
    )
    const status = message.statusCode ?? 0
    const tookMs = performance.now() - beganMs
    return { request, status, headers, bytes, text, json: jsonOf(text), tookMs }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  #exchange(
    request: HttpRequest,
    { signal, agents }: Connecting
  ): Promise<{ readonly message: IncomingMessage; readonly bytes: Uint8Array }> {
    const base = new URL(request.base ?? this.#base)
    const body = bodyOf(request)
    const headers: OutgoingHttpHeaders = {
      ...(request.bearer === undefined ? {} : { authorization: `Bearer ${request.bearer}` }),
      ...(body === null ? {} : { "content-length": String(body.byteLength) }),
      ...(body === null || isRaw(request.body) ? {} : { "content-type": "application/json" }),
      ...request.headers
    }
    const isSecure = base.protocol === "https:"
    const options = {
      host: base.hostname.replace(/^\[|\]$/g, ""),
      port: base.port,
      method: request.method,
      path: `${base.pathname.replace(/\/$/, "")}${request.path}`,
      headers,
      signal,
      agent: agents?.[isSecure ? "https:" : "http:"] ?? false
    }
    return new Promise((resolve, reject) => {
      const fail = (cause: Error): void => {
        if (signal.aborted || cause instanceof Mismatch) return reject(cause)
        const code = codeOf(cause)
        const late = outgoing.reusedSocket && ["ECONNRESET", "EPIPE"].includes(code)
        reject(late ? new LateConnection() : new NoAnswer(request, code))
      }
      const outgoing = (isSecure ? secure : plain)(options, (message) => {
        const chunks: Array<Buffer> = []
        let size = 0
        message.on("data", (chunk: Buffer) => {
          size += chunk.byteLength
          if (size <= answerMax) chunks.push(chunk)
          else message.destroy(new NoAnswer(request, `more than ${answerMax} bytes`))
        })
        message.on("end", () => resolve({ message, bytes: new Uint8Array(Buffer.concat(chunks)) }))
        message.on("error", fail)
      })
      outgoing.on("error", fail)
      outgoing.end(body ?? undefined)
    })
  }
}

const codeOf = (cause: Error): string => {
  const { code }: { code?: unknown } = Object(cause)
  return typeof code === "string" ? code : cause.message
}

const isRaw = (body: unknown): body is string | Uint8Array =>
  typeof body === "string" || body instanceof Uint8Array

const bodyOf = ({ body }: HttpRequest): Uint8Array | null => {
  if (body === undefined) return null
  if (isRaw(body)) return typeof body === "string" ? Buffer.from(body) : body
  return Buffer.from(JSON.stringify(body))
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
