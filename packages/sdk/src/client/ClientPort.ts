import { platformWebSocket } from "#platform/WebSocket"

import { type PlatformPort, platformPort } from "./PlatformPort.ts"
import { browserMemory, tabMemory, type TokenMemory } from "./TokenMemory.ts"

/** The part of a WebSocket that the client uses; the browser's, Node's and `ws`'s all have it. */
export interface WebSocketLike {
  binaryType: string
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  send(data: Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
}

/** A WebSocket class, such as that of the package `ws`. */
export type WebSocketConstructor = new (url: string, protocols: string) => WebSocketLike

/** Everything outside the program that the client touches; tests give their own. */
export interface ClientPort extends PlatformPort {
  readonly WebSocket: WebSocketConstructor
  /** Milliseconds since 1970, to compare with the expiry of a token. */
  readonly nowMs: () => number
  /** In [0, 1). */
  readonly random: () => number
  readonly randomBytes: (count: number) => Uint8Array
  /** Runs when everything that waits on already settled promises has run. */
  readonly defer: (run: () => void) => void
  /** Shared by the pages of a browser; absent or `null` = they share nothing. */
  readonly browser?: TokenMemory | null
  /** Of one tab; absent or `null` = nothing outlives the page. */
  readonly tab?: TokenMemory | null
}

/** Throws where nothing has a WebSocket: on Node 20 without the package `ws`. */
const foundWebSocket = (): WebSocketConstructor => {
  const found = platformWebSocket()
  if (found !== undefined) return found
  throw new Error("WebSocket: none here: npm install ws, take Node 22, or give webSocket")
}

/** The browser, Node 22 and later, or Node 20 with the package `ws`. */
export const liveClientPort = (webSocket?: WebSocketConstructor): ClientPort => ({
  WebSocket: webSocket ?? foundWebSocket(),
  ...platformPort,
  nowMs: () => Date.now(),
  random: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  defer: (run) => {
    setTimeout(run, 0)
  },
  browser: browserMemory(),
  tab: tabMemory()
})
