import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"

/** Bytes of a masked WebSocket frame in front of its payload. Source: RFC 6455 section 5.2. */
const headBytes = (payloadBytes: number): number =>
  payloadBytes < 126 ? 6 : payloadBytes < 65_536 ? 8 : 14

/**
 * The memory that a connection holds for an unfinished message. `ws` keeps every chunk with a byte of the
 * message, so a whole chunk counts, with its objects. Control frames in between end no message.
 */
export class ArrivingMessage {
  #unreadBytes = 0
  #heldBytes = 0
  #chunkBytes = 0

  /** Bytes of the client that belong to no whole message yet, headers included. */
  get unreadBytes(): number {
    return this.#unreadBytes
  }

  /** Memory of the chunks that these bytes came in. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** A chunk was read from the network; its messages are read from it next. */
  came(bytes: number): void {
    this.#unreadBytes += bytes
    this.#heldBytes += bytes + ConnectionLimits.chunkBytes.max
    this.#chunkBytes = bytes
  }

  /** A message is whole: what is unread now came in the last chunk. */
  whole(payloadBytes: number): void {
    // The headers of its pieces are not known, and must not add up.
    const left = Math.min(this.#left(payloadBytes), this.#chunkBytes)
    this.#unreadBytes = left
    this.#heldBytes = left === 0 ? 0 : this.#chunkBytes + ConnectionLimits.chunkBytes.max
  }

  /** A ping or pong is whole, maybe between two pieces of a message. */
  control(payloadBytes: number): void {
    this.#unreadBytes = this.#left(payloadBytes)
    if (this.#unreadBytes === 0) this.#heldBytes = 0
  }

  #left(payloadBytes: number): number {
    return Math.max(0, this.#unreadBytes - headBytes(payloadBytes) - payloadBytes)
  }
}
