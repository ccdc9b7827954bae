import type { WebSocketConstructor, WebSocketLike } from "@atrium/sdk/client"

import { DelayLine, type LineClock } from "./DelayLine.ts"

const clock: LineClock = {
  nowMs: () => performance.now(),
  after: (ms, run) => void setTimeout(run, ms)
}

type Event = { readonly data?: unknown; readonly code?: number; readonly reason?: string }
type Handler = ((event: never) => void) | null

/** The line between a test player and the service. The page delays, stalls or drops it. */
export class Transport {
  /** Hears of every frame, when it leaves and when it has arrived. */
  readonly #onFrame: (frame: Uint8Array, isSent: boolean) => void
  readonly #open = new Set<SlowSocket>()
  #latencyMs = 0
  #stalled = false

  constructor(onFrame: (frame: Uint8Array, isSent: boolean) => void) {
    this.#onFrame = onFrame
  }

  /** One way; a round trip takes twice as long. */
  set latencyMs(ms: number) {
    this.#latencyMs = ms
    for (const socket of this.#open) socket.weather(this.#latencyMs, this.#stalled)
  }

  /** Nothing comes or goes, and the connection stays open. */
  set stalled(stalled: boolean) {
    this.#stalled = stalled
    for (const socket of this.#open) socket.weather(this.#latencyMs, this.#stalled)
  }

  /** Breaks the connection off, as a network does: the client comes back by itself. */
  drop(): void {
    for (const socket of this.#open) socket.drop()
  }

  /** The class of sockets that the client is given. */
  get WebSocket(): WebSocketConstructor {
    const open = (url: string, protocols: string): SlowSocket => {
      const socket = new SlowSocket(new WebSocket(url, protocols), this.#onFrame)
      socket.weather(this.#latencyMs, this.#stalled)
      this.#open.add(socket)
      socket.onGone = () => this.#open.delete(socket)
      return socket
    }
    const made = class {
      constructor(url: string, protocols: string) {
        // A constructor that gives an object gives that one.
        return open(url, protocols)
      }
    }
    // The compiler knows what the class is, and not what it gives.
    return made as unknown as WebSocketConstructor
  }
}

/** A socket whose frames take their time in both directions. */
class SlowSocket implements WebSocketLike {
  onopen: Handler = null
  onmessage: Handler = null
  onclose: Handler = null
  onerror: Handler = null
  onGone: () => void = () => undefined
  readonly #socket: WebSocket
  readonly #out: DelayLine<Uint8Array<ArrayBuffer>>
  readonly #in: DelayLine<() => void>
  readonly #onFrame: (frame: Uint8Array, isSent: boolean) => void
  #ended = false

  constructor(socket: WebSocket, onFrame: (frame: Uint8Array, isSent: boolean) => void) {
    this.#socket = socket
    this.#onFrame = onFrame
    this.#out = new DelayLine((data) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(data)
    }, clock)
    this.#in = new DelayLine((tell) => tell(), clock)
    socket.onopen = (event) => this.#in.push(() => call(this.onopen, event))
    socket.onerror = (event) => this.#in.push(() => call(this.onerror, event))
    socket.onmessage = (event) =>
      this.#in.push(() => {
        if (event.data instanceof ArrayBuffer) this.#onFrame(new Uint8Array(event.data), false)
        call(this.onmessage, event)
      })
    socket.onclose = ({ code, reason }) => this.#in.push(() => this.#end(code, reason))
  }

  get binaryType(): string {
    return this.#socket.binaryType
  }
  set binaryType(type: string) {
    this.#socket.binaryType = type === "blob" ? "blob" : "arraybuffer"
  }

  weather(latencyMs: number, stalled: boolean): void {
    for (const line of [this.#out, this.#in]) {
      line.latencyMs = latencyMs
      line.stalled = stalled
    }
  }

  send(data: Uint8Array<ArrayBuffer>): void {
    this.#onFrame(data, true)
    this.#out.push(data)
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason)
    // A stall must not keep anybody from leaving.
    this.weather(0, false)
  }

  /** Closes the socket. The service sees the close at once, and the client the code of a lost network. */
  drop(): void {
    this.#end(1006, "")
    this.#socket.close()
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#in.close()
    this.#out.close()
    this.onGone()
    call(this.onclose, { code, reason })
  }
}

// The client has told what its handlers take.
const call = (handler: Handler, event: Event | globalThis.Event): void => handler?.(event as never)
