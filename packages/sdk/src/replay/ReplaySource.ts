import { CodecError } from "@atrium/wire/codec/CodecError"
import { MsgpackError } from "@atrium/wire/msgpack/MsgpackReader"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { unpackChunk } from "@atrium/wire/replay/UnpackChunk"

import { chunkHeaders, decompressed } from "#platform/Zstd"

import { messageOf, RequestError } from "../client/ClientErrors.ts"
import { WireError } from "../client/ClientWire.ts"
import { refusalOf } from "../client/OpenEndpoints.ts"
import type { PlatformPort } from "../client/PlatformPort.ts"
import { readReplayFacts, type ReplayFacts } from "./ReplayFacts.ts"

/**
 * Where a replay is read, of the address of a clip or of the page that shows it. Throws an Error that does not repeat the
 * address: it may hold the id, which is a credential.
 */
export const replayEndpointOf = (address: string | URL): string => {
  const here = globalThis.location?.href
  const text = String(address)
  const url = URL.canParse(text, here) ? new URL(text, here) : null
  const [, base, id] =
    url === null ? [] : (/^(.*)\/(?:v1\/replays|replay)\/(rp_[\w-]{32})$/.exec(url.pathname) ?? [])
  if (url === null || base === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error("url: not the address of a replay")
  }
  return `${url.origin}${base}/v1/replays/${id}`
}

/** Reads a replay from the service. Its address is a credential: it is sent to that service alone. */
export class ReplaySource {
  readonly #port: PlatformPort
  readonly #url: string
  readonly #end = new AbortController()
  /** Chunks by number; the chunk that was used last comes last. */
  readonly #held = new Map<number, Uint8Array>()
  readonly #loading = new Map<number, Promise<Uint8Array>>()

  /** @param url of {@link replayEndpointOf} */
  constructor(port: PlatformPort, url: string) {
    this.#port = port
    this.#url = url
  }

  /** Errors: `RequestError`. */
  async facts(): Promise<ReplayFacts> {
    const bytes = await this.#read("", ReplayLimits.watchedFactsBytes.max)
    return readReplayFacts(nameOf(""), jsonIn(bytes))
  }

  /** A chunk, plain; from memory if it was wanted lately. Errors: `RequestError`. */
  async chunk(index: number): Promise<Uint8Array> {
    const loading = this.#loading.get(index)
    if (loading !== undefined) return loading
    const held = this.#held.get(index)
    if (held !== undefined) {
      this.#hold(index, held)
      return held
    }
    const load = this.#load(index).finally(() => this.#loading.delete(index))
    this.#loading.set(index, load)
    return load
  }

  /** Ends what is on its way. */
  close(): void {
    this.#end.abort()
    this.#held.clear()
  }

  async #load(index: number): Promise<Uint8Array> {
    const path = `/chunks/${index}`
    const bytes = await this.#read(path, ReplayLimits.replayChunkBytes.max, chunkHeaders)
    try {
      const opened = await decompressed(bytes, ReplayLimits.replayChunkBytes.max)
      const chunk = unpackChunk(opened)
      this.#hold(index, chunk)
      return chunk
    } catch (error) {
      // Of the bytes alone, whatever decompressed them.
      throw notAChunk(index, error)
    }
  }

  #hold(index: number, chunk: Uint8Array): void {
    this.#held.delete(index)
    this.#held.set(index, chunk)
    let bytes = 0
    for (const each of this.#held.values()) bytes += each.length
    for (const [oldest, { length }] of this.#held) {
      if (bytes <= ReplayLimits.watchedChunksBytes.max) return
      this.#held.delete(oldest)
      bytes -= length
    }
  }

  async #read(
    path: string,
    bytesMax: number,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<Uint8Array> {
    for (let waitedMs = 0; ;) {
      try {
        return await this.#readOnce(path, bytesMax, headers)
      } catch (error) {
        const waitMs = waitOf(error)
        if (waitMs === null || this.#end.signal.aborted) throw error
        waitedMs += waitMs
        if (waitedMs > ReplayLimits.watchedRetry.ms) throw error
        await this.#wait(waitMs)
        if (this.#end.signal.aborted) throw error
      }
    }
  }

  /** Ends at once when the source is closed. */
  #wait(waitMs: number): Promise<void> {
    const { signal } = this.#end
    return new Promise((resolve) => {
      const end = (): void => {
        cancel()
        signal.removeEventListener("abort", end)
        resolve()
      }
      const cancel = this.#port.after(waitMs, end)
      signal.addEventListener("abort", end)
    })
  }

  async #readOnce(
    path: string,
    bytesMax: number,
    headers: Readonly<Record<string, string>>
  ): Promise<Uint8Array> {
    try {
      const response = await this.#port.fetch(this.#url + path, {
        headers,
        credentials: "omit",
        referrerPolicy: "no-referrer",
        signal: this.#end.signal
      })
      const bytes = await bodyOf(response, bytesMax, nameOf(path))
      if (response.ok) return bytes
      throw refusalOf(nameOf(path), response.status, jsonIn(bytes))
    } catch (error) {
      if (error instanceof RequestError) throw error
      throw new RequestError("E_UNREACHABLE", `${nameOf(path)}: ${messageOf(error)}`)
    }
  }
}

/** Makes a decoder's error a `RequestError` that names the chunk; any other error stays. */
export const chunkFault = (index: number, error: unknown): unknown =>
  [CodecError, WireError, MsgpackError].some((kind) => error instanceof kind)
    ? notAChunk(index, error)
    : error

const notAChunk = (index: number, error: unknown): RequestError =>
  new RequestError("E_PROTOCOL", `${nameOf(`/chunks/${index}`)}: ${messageOf(error)}`)

/** Names a request in error texts without the replay's id, which is a credential. */
const nameOf = (path: string): string => `replay${path}`

/** Milliseconds until there is an allowance again; `null` = the error is for the caller. */
const waitOf = (error: unknown): number | null => {
  if (!(error instanceof RequestError) || error.code !== "E_RATE_LIMITED") return null
  // A service that says 0 is not asked in a tight loop.
  const { ms } = ReplayLimits.watchedRetryLeast
  return error.retryAfterMs === null ? null : Math.max(error.retryAfterMs, ms)
}

/** Reads a body. Rejects with `E_PROTOCOL` past `bytesMax` decompressed bytes. */
const bodyOf = async (response: Response, bytesMax: number, name: string): Promise<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  const reader = response.body?.getReader()
  for (;;) {
    const piece = await reader?.read()
    if (piece === undefined || piece.done) break
    length += piece.value.length
    if (length > bytesMax) {
      await reader?.cancel().catch(() => undefined)
      throw new RequestError("E_PROTOCOL", `${name}: over ${bytesMax} bytes`)
    }
    pieces.push(piece.value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

const jsonIn = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}
