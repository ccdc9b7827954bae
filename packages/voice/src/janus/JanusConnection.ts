import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"

/** A Janus (https://janus.conf.meetecho.com), by its WebSocket API. */
export interface JanusSettings {
  readonly url: string
  /** The `api_secret` of its configuration. */
  readonly secret: string
}

type Fields = Readonly<Record<string, unknown>>

/** SDP that goes with a request or comes with an answer. */
export interface Jsep {
  readonly type: "offer" | "answer"
  readonly sdp: string
}

/** What Janus says of a handle: the answer to a request, or by itself. */
export interface JanusTold {
  /** Fields of the plugin; none = Janus itself speaks. */
  readonly data: Fields
  readonly jsep: Jsep | null
}

interface JanusOwner {
  told(handle: number, told: JanusTold): void
  /** The media connection of the handle has ended. */
  hungUp(handle: number): void
  /** Once, and nothing after it. */
  lost(why: string): void
}

interface Waiting {
  readonly resolve: (answer: Fields) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

const plugin = "janus.plugin.videoroom"

/** One session with Janus. Requests wait until it is open; when it ends, all of them fail. */
export class JanusConnection {
  readonly #secret: string
  readonly #owner: JanusOwner
  readonly #socket: WebSocket
  readonly #waiting = new Map<string, Waiting>()
  #alive: NodeJS.Timeout | undefined
  readonly #session: Promise<number>
  #asked = 0
  #ended = false

  constructor({ url, secret }: JanusSettings, owner: JanusOwner) {
    this.#secret = secret
    this.#owner = owner
    this.#socket = new WebSocket(url, "janus-protocol")
    let why = "Janus cannot be reached"
    const opened = new Promise<void>((resolve) => {
      this.#socket.onopen = () => {
        why = "the connection to Janus has ended"
        resolve()
      }
    })
    this.#socket.onmessage = ({ data }) => this.#take(String(data))
    this.#socket.onerror = () => this.#end(why)
    this.#socket.onclose = () => this.#end(why)
    this.#session = opened.then(() => this.#ask({ janus: "create" })).then(idOf)
    const { ms } = VoiceMediaLimits.voiceJanusAlive
    this.#session.then(
      (id) => {
        if (this.#ended) return
        this.#alive = setInterval(() => this.#send({ janus: "keepalive", session_id: id }), ms)
        this.#alive.unref()
      },
      // Each request fails with it.
      (error: unknown) => this.#end(String(error))
    )
  }

  /** @returns a new handle */
  async attach(): Promise<number> {
    return idOf(await this.#inSession({ janus: "attach", plugin }))
  }

  /** Ends a handle and its media connection. */
  async detach(handle: number): Promise<void> {
    await this.#inSession({ janus: "detach", handle_id: handle })
  }

  /** A request to the plugin. Rejects with the words of Janus when it refuses, and when it does not answer. */
  async request(handle: number, body: Fields, jsep: Jsep | null = null): Promise<JanusTold> {
    const sent = { janus: "message", handle_id: handle, body, ...(jsep && { jsep }) }
    const told = toldIn(await this.#inSession(sent))
    const { error } = told.data
    if (error !== undefined) throw new Error(`Janus: ${String(error)}`)
    return told
  }

  close(): void {
    this.#ended = true
    clearInterval(this.#alive)
    this.#failAll("the connection to Janus was closed")
    this.#socket.close()
  }

  async #inSession(request: Fields): Promise<Fields> {
    return this.#ask({ ...request, session_id: await this.#session })
  }

  #ask(request: Fields): Promise<Fields> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new Error("the connection to Janus has ended"))
      const transaction = this.#send(request)
      const timer = setTimeout(() => {
        this.#waiting.delete(transaction)
        reject(new Error("Janus does not answer"))
      }, VoiceMediaLimits.voiceJanusAnswer.ms)
      this.#waiting.set(transaction, { resolve, reject, timer })
    })
  }

  /** @returns the transaction that the answer names */
  #send(request: Fields): string {
    this.#asked++
    const transaction = String(this.#asked)
    this.#socket.send(JSON.stringify({ ...request, transaction, apisecret: this.#secret }))
    return transaction
  }

  #take(text: string): void {
    const message = fieldsIn(text)
    const { janus, transaction } = message
    // The answer follows, if there is one.
    if (janus === "ack") return
    const waiting = this.#waiting.get(String(transaction))
    if (waiting !== undefined) {
      this.#waiting.delete(String(transaction))
      clearTimeout(waiting.timer)
      return janus === "error"
        ? waiting.reject(new Error(`Janus: ${reasonOf(message)}`))
        : waiting.resolve(message)
    }
    const handle = Number(message["sender"])
    if (janus === "event") return this.#owner.told(handle, toldIn(message))
    if (janus === "hangup") return this.#owner.hungUp(handle)
    if (janus === "timeout") this.#end("Janus has ended the session")
  }

  #failAll(why: string): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer)
      reject(new Error(why))
    }
    this.#waiting.clear()
  }

  #end(why: string): void {
    if (this.#ended) return
    this.close()
    this.#owner.lost(why)
  }
}

const fieldsIn = (text: string): Fields => {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? { ...value } : {}

const idOf = (answer: Fields): number => {
  const { id } = fieldsOf(answer["data"])
  if (typeof id !== "number") throw new Error("Janus: an answer without an id")
  return id
}

const reasonOf = (message: Fields): string => String(fieldsOf(message["error"])["reason"])

const toldIn = (message: Fields): JanusTold => {
  const { type, sdp } = fieldsOf(message["jsep"])
  const hasSdp = (type === "offer" || type === "answer") && typeof sdp === "string"
  return {
    data: fieldsOf(fieldsOf(message["plugindata"])["data"]),
    jsep: hasSdp ? { type, sdp } : null
  }
}
