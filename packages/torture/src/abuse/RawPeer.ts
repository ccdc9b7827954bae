import { connect, type Socket } from "node:net"

import { clientFrame } from "@atrium/api/testing/load/LeanSocket"
import { Subprotocol } from "@atrium/wire/frames/Frame"

/** Where a peer of an attack comes from and what it asks for. */
export interface PeerTarget {
  readonly port: number
  readonly path: string
  /** An address of the loopback network. */
  readonly from: string
  /** `x-forwarded-for` */
  readonly forwardedFor?: string
}

/** What became of a peer. */
export interface PeerListener {
  opened?(peer: RawPeer): void
  /** The first bytes of an answer that makes no WebSocket of it. */
  refused?(status: number): void
  /** A frame of the service: its opcode and payload. */
  frame?(opcode: number, payload: Buffer): void
  /** Exactly once, and always the last call. */
  ended?(): void
}

/** A TCP connection that asks to be a WebSocket, and then does as it likes. */
export class RawPeer {
  readonly #socket: Socket
  readonly #listener: PeerListener
  #rest = Buffer.alloc(0)
  #open = false

  constructor(target: PeerTarget, listener: PeerListener, request = upgradeOf(target)) {
    this.#listener = listener
    this.#socket = connect({ host: "127.0.0.1", port: target.port, localAddress: target.from })
    this.#socket.on("error", () => undefined)
    this.#socket.on("close", () => listener.ended?.())
    this.#socket.on("data", (bytes: Buffer) => this.#received(bytes))
    this.#socket.write(request)
  }

  /** One binary message. */
  send(payload: Uint8Array): void {
    this.#socket.write(clientFrame(payload))
  }

  /** Bytes that need be no frame. */
  write(bytes: Uint8Array): void {
    this.#socket.write(bytes)
  }

  /** Reads nothing more. What the service sends stays in its own buffers. */
  stall(): void {
    this.#socket.pause()
  }

  end(): void {
    this.#socket.destroy()
  }

  #received(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    if (!this.#open && !this.#answered()) return
    for (;;) {
      const length = frameLength(this.#rest)
      if (length === null) return
      const { head, payload } = length
      const end = head + payload
      if (this.#rest.length < end) return
      this.#listener.frame?.((this.#rest[0] ?? 0) & 0x0f, this.#rest.subarray(head, end))
      this.#rest = this.#rest.subarray(end)
    }
  }

  #answered(): boolean {
    const end = this.#rest.indexOf("\r\n\r\n")
    if (end === -1) return false
    const status = Number(this.#rest.subarray(9, 12).toString("latin1"))
    this.#rest = this.#rest.subarray(end + 4)
    if (status !== 101) {
      this.#listener.refused?.(status)
      this.#socket.destroy()
      return false
    }
    this.#open = true
    this.#listener.opened?.(this)
    return true
  }
}

const frameLength = (bytes: Buffer): { readonly head: number; readonly payload: number } | null => {
  if (bytes.length < 2) return null
  const short = (bytes[1] ?? 0) & 0x7f
  const head = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < head) return null
  if (short < 126) return { head, payload: short }
  return { head, payload: short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)) }
}

/** The request of a WebSocket client, as bytes. */
export const upgradeOf = ({ port, path, forwardedFor }: PeerTarget): string =>
  [
    `GET ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
    `sec-websocket-protocol: ${Subprotocol}`,
    ...(forwardedFor === undefined ? [] : [`x-forwarded-for: ${forwardedFor}`]),
    "\r\n"
  ].join("\r\n")
