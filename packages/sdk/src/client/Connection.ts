import { Subprotocol } from "@atrium/wire/frames/Frame"

import { messageOf } from "./ClientErrors.ts"
import type { ClientPort, WebSocketLike } from "./ClientPort.ts"
import { decodeFrame, type ServerMessage } from "./ClientWire.ts"
import { ClientClose, type Loss, type Refusal } from "./SessionMachine.ts"

export interface ConnectionListener {
  /** The socket is open; the answer is the hello frame. */
  opened(): Uint8Array<ArrayBuffer>
  received(message: ServerMessage): void
  /** The service sent what the protocol does not allow; the connection is still open. */
  broken(why: string): void
  lost(loss: Loss): void
}

/** One WebSocket from its opening to its end. After `close` the listener hears nothing more. */
export class Connection {
  readonly #socket: WebSocketLike
  #listener: ConnectionListener | null
  #refusal: Refusal | null = null
  #held: Array<() => void> | null = null
  readonly closed: Promise<void>
  #settleClosed: () => void = () => {}

  constructor(port: ClientPort, target: { readonly url: string }, listener: ConnectionListener) {
    this.#listener = listener
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve
    })
    const socket = new port.WebSocket(target.url, Subprotocol)
    this.#socket = socket
    socket.binaryType = "arraybuffer"
    socket.onopen = () => {
      if (this.#listener !== null) socket.send(this.#listener.opened())
    }
    socket.onmessage = (event: { readonly data: unknown }) => {
      this.#inOrder(() => this.#received(event.data))
    }
    socket.onclose = (event: { readonly code: number; readonly reason: string }) => {
      this.#settleClosed()
      this.#inOrder(() => this.#lost(event.code, event.reason))
    }
    // The close that always follows says as much as a browser is willing to tell.
    socket.onerror = () => {}
  }

  send(frame: Uint8Array<ArrayBuffer>): void {
    this.#socket.send(frame)
  }

  /** Ends the connection without waiting for the other side: a dead network would answer late. */
  close(code: number): void {
    this.#listener = null
    this.#held = null
    this.#socket.close(code)
  }

  /** Keeps whatever arrives until `resume`, in its order. */
  hold(): void {
    this.#held ??= []
  }

  resume(): void {
    const held = this.#held ?? []
    this.#held = null
    for (const run of held) run()
  }

  #inOrder(run: () => void): void {
    if (this.#held === null) run()
    else this.#held.push(run)
  }

  #received(data: unknown): void {
    if (this.#listener === null) return
    if (!(data instanceof ArrayBuffer)) return this.#listener.broken("a frame is not binary")
    let message: ServerMessage
    try {
      message = decodeFrame(new Uint8Array(data))
    } catch (error) {
      return this.#listener.broken(messageOf(error))
    }
    this.#refusal = message._tag === "error" ? message : null
    this.#listener.received(message)
  }

  #lost(code: number, reason: string): void {
    const listener = this.#listener
    this.#listener = null
    listener?.lost({ code: code === 0 ? ClientClose.lost : code, reason, refusal: this.#refusal })
  }
}
