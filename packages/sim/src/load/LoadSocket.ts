import type { WebSocketConstructor, WebSocketLike } from "@atrium/sdk/client"
import { WebSocket } from "ws"

/** Bytes of messages, without the frames of WebSocket around them. */
interface Traffic {
  bytesIn: number
  bytesOut: number
}

/**
 * A WebSocket class for the client library that counts what goes through.
 *
 * @param from the address of this machine that connections come from; `null` = any
 */
export const loadSocket = (traffic: Traffic, from: string | null): WebSocketConstructor =>
  class LoadSocket implements WebSocketLike {
    binaryType = "arraybuffer"
    onopen: ((event: undefined) => void) | null = null
    onmessage: ((event: { readonly data: unknown }) => void) | null = null
    onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null = null
    onerror: ((event: undefined) => void) | null = null
    readonly #socket: WebSocket

    constructor(url: string, protocols: string) {
      const source = from === null ? {} : { localAddress: from, family: 4 }
      const socket = new WebSocket(url, protocols, { perMessageDeflate: false, ...source })
      socket.binaryType = "arraybuffer"
      let fault = ""
      socket.on("open", () => this.onopen?.(undefined))
      socket.on("message", (data) => {
        if (data instanceof ArrayBuffer) traffic.bytesIn += data.byteLength
        this.onmessage?.({ data })
      })
      // The close that follows tells it.
      socket.on("error", ({ message }) => {
        fault = message
      })
      socket.on("close", (code, reason) => {
        const said = reason.toString("utf8")
        this.onclose?.({ code, reason: said === "" ? fault : said })
      })
      this.#socket = socket
    }

    send(data: Uint8Array<ArrayBuffer>): void {
      traffic.bytesOut += data.byteLength
      this.#socket.send(data)
    }

    close(code?: number, reason?: string): void {
      this.#socket.close(code, reason)
    }
  }
