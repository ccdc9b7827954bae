import { LinkLimits } from "@atrium/domain/link/LinkLimits"

import type { FlushTogether } from "../process/FlushTogether.ts"
import { LinkFault, LinkKind, linkKindVersion, LinkReader, LinkWriter } from "./LinkFrames.ts"

/** One side of a link. Nothing here may throw but {@link LinkFault}, which ends the link. */
export interface LinkSide {
  /** A frame before both sides have proven the key. @returns the version that both speak from here on; 0 = not yet */
  handshake(kind: number, bytes: Buffer): number
  /** A frame after that. */
  frame(kind: number, ref: number, bytes: Buffer): void
  /** Called once, and nothing after it. */
  ended(why: string): void
}

/** The connection of a link: what a link uses of a TCP connection of Node. */
export interface LinkStream {
  /** Bytes that the kernel has not taken yet. */
  readonly writableLength: number
  on(event: "data", listener: (chunk: Buffer) => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
  once(event: "close", listener: () => void): unknown
  write(bytes: Buffer): unknown
  /** Ends the connection once its bytes have left; `sent` is called then. */
  end(sent: () => void): unknown
  /** Ends the connection at once. */
  destroy(): unknown
}

/**
 * One TCP connection of a link: its frames, one write for each turn of the event loop, signs of life. Frames
 * wait until the key is proven.
 */
export class LinkSocket {
  readonly #stream: LinkStream
  readonly #side: LinkSide
  readonly #turn: FlushTogether
  readonly #writer = new LinkWriter()
  readonly #reader = new LinkReader((kind, ref, bytes) => this.#took(kind, ref, bytes))
  #proven = false
  /** The version of the runners' protocol that both sides speak. */
  #version = 0
  #ended = false
  #unprovenBytes = 0
  #heard = false
  /** Looks in a row that found no sign of life; before the proof, all looks. */
  #silent = 0
  bytesIn = 0
  bytesOut = 0

  constructor(stream: LinkStream, turn: FlushTogether, side: LinkSide) {
    this.#stream = stream
    this.#turn = turn
    this.#side = side
    stream.on("data", (chunk: Buffer) => this.#came(chunk))
    stream.on("error", (error: Error) => this.lose(error.message))
    stream.once("close", () => this.lose("the connection ended"))
  }

  get proven(): boolean {
    return this.#proven
  }

  get framesIn(): number {
    return this.#reader.frames
  }

  get framesOut(): number {
    return this.#writer.frames
  }

  /** Bytes that the kernel has not taken yet. */
  get backlogBytes(): number {
    return this.#writer.length + this.#stream.writableLength
  }

  /** A frame of the handshake leaves at once. */
  shake(kind: number, bytes: Uint8Array): void {
    const writer = new LinkWriter()
    writer.frame(kind, 0, bytes)
    if (!this.#ended) this.#stream.write(writer.take())
  }

  send(kind: number, ref: number, bytes?: Uint8Array): void {
    if (this.#ended) return
    const idle = this.#writer.length === 0
    this.#writer.frame(kind, ref, bytes)
    if (idle) this.#turn.add(this)
  }

  /** A frame of a room for one client; for the next client the same array costs four bytes. */
  share(ref: number, frame: Uint8Array): void {
    if (this.#ended) return
    const idle = this.#writer.length === 0
    this.#writer.share(ref, frame)
    if (idle) this.#turn.add(this)
  }

  flush(): void {
    if (!this.#proven || this.#ended || this.#writer.length === 0) return
    const bytes = this.#writer.take()
    this.bytesOut += bytes.length
    this.#stream.write(bytes)
    // What is sent to a peer that takes nothing must not fill this runner's memory.
    if (this.backlogBytes > LinkLimits.linkBacklogBytes.max) this.lose("the peer takes too little")
  }

  /** Called once per `LinkLimits.linkBeat`. */
  look(): void {
    if (this.#ended) return
    this.#silent = this.#heard && this.#proven ? 0 : this.#silent + 1
    this.#heard = false
    if (this.#silent >= LinkLimits.linkSilentBeats.max) {
      return this.lose(this.#proven ? "the peer gives no sign of life" : "no proof of the key came")
    }
    if (this.#proven) this.send(LinkKind.beat, 0)
  }

  /** What was sent leaves, then the connection ends. */
  async end(): Promise<void> {
    if (this.#ended) return
    this.flush()
    this.#finish("this runner ends")
    await new Promise<void>((resolve) => {
      this.#stream.once("close", () => resolve())
      this.#stream.end(() => resolve())
    })
  }

  /** Ends the connection at once: the time for its last frames is over. */
  cutOff(): void {
    this.#stream.destroy()
  }

  /** Ends the link at once. */
  lose(why: string): void {
    if (this.#ended) return
    this.#finish(why)
    this.#stream.destroy()
  }

  #finish(why: string): void {
    this.#ended = true
    this.#reader.close()
    this.#side.ended(why)
  }

  #came(chunk: Buffer): void {
    if (this.#ended) return
    this.#heard = true
    this.bytesIn += chunk.length
    try {
      this.#reader.read(chunk)
    } catch (error) {
      if (!(error instanceof LinkFault)) throw error
      return this.lose(error.message)
    }
    if (this.#proven) return
    this.#unprovenBytes += chunk.length
    if (this.#unprovenBytes > LinkLimits.linkUnprovenBytes.max)
      this.lose("no proof of the key came")
  }

  #took(kind: number, ref: number, bytes: Buffer): void {
    if (this.#ended) return
    if (this.#proven) {
      if (linkKindVersion(kind) > this.#version) {
        throw new LinkFault(`frame ${kind} is not of version ${this.#version}`)
      }
      if (kind !== LinkKind.beat) this.#side.frame(kind, ref, bytes)
      return
    }
    if (bytes.length > LinkLimits.linkUnprovenBytes.max)
      throw new LinkFault("no handshake is so long")
    this.#version = this.#side.handshake(kind, bytes)
    this.#proven = this.#version > 0
    if (this.#proven) this.flush()
  }
}
