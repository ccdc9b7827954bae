import { HostFrameError } from "@atrium/runtime/host/HostFrames"
import { KiB } from "@atrium/wire/limits/Limit"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import { FrameSplitter } from "../process/FrameSplitter.ts"

/**
 * The frames of a link: u32 (little endian, the number of bytes that follow), u8 kind, u32 ref, bytes. The
 * entry runner, which opens the link, gives each client that it forwards a ref.
 */
export const LinkKind = {
  /** The entry runner sends these frames. The first two are the handshake: see `LinkHandshake.ts`. */
  hello: 1,
  proof: 2,
  /** `bytes` = an `EnterRequest`: a client asks for a seat in a room. */
  enter: 3,
  /** `bytes` = a frame of the client. */
  data: 4,
  /** `bytes` = u8 consented. The connection ended, or the room has let it go; the ref is free. */
  exit: 5,
  /** `bytes` = the text of a chat line that the entry runner has found good. */
  chat: 6,
  /** `bytes` = u32 taken, u32 received, u32 sent: see `SeatCounts`. */
  counts: 7,
  /** `bytes` = the hash of one more resume token. */
  resumeHash: 8,
  /** The answer to `hold`: no `data` and no `chat` follows. */
  held: 9,
  /** `bytes` = a `LinkQuestion`: this runner asks the other one, which answers with the first part. */
  ask: 10,
  /** The next part of the answer is wanted. */
  more: 11,
  /** No further part is wanted; the ref is free. */
  enough: 12,
  /** `bytes` = a voice frame of the client. */
  voice: 13,

  /** Both runners send this sign of life. */
  beat: 16,

  /** The runner of the room sends these frames. */
  challenge: 32,
  /** `bytes` = `RoomEntered`: the client has a seat. */
  entered: 33,
  /** The room is not awake there, or takes nobody; the ref is free. */
  absent: 34,
  /** `bytes` = u8: whether the room has let somebody in, for an `enter` that asks. */
  settled: 35,
  /** `bytes` = `RemoteWelcome`. */
  welcome: 36,
  /** The ref is the number of clients; `bytes` = a frame for them, then the ref of each as a u32. */
  deliver: 37,
  /** `bytes` = code and message. The entry runner answers with `exit`. */
  refuse: 38,
  /** `bytes` = close code and reason. The entry runner answers with `exit`. */
  close: 39,
  /** The room moves: frames of the client wait at the entry runner, which answers with `held`. */
  hold: 40,
  /** The room is stored and goes on elsewhere. The entry runner answers with `exit`. */
  moved: 41,
  /** `bytes` = one part of an answer, as msgpack. */
  answer: 42,
  /** `bytes` = a reason in words: no further part comes; the ref is free. */
  unanswered: 43
} as const

/** The version of the runners' protocol that brought each frame. */
const broughtBy: Readonly<Record<keyof typeof LinkKind, number>> = {
  hello: 1,
  proof: 1,
  enter: 1,
  data: 1,
  exit: 1,
  chat: 1,
  counts: 1,
  resumeHash: 1,
  held: 2,
  ask: 2,
  more: 2,
  enough: 2,
  voice: 3,
  beat: 1,
  challenge: 1,
  entered: 1,
  absent: 1,
  settled: 1,
  welcome: 1,
  deliver: 1,
  refuse: 1,
  close: 1,
  hold: 2,
  moved: 2,
  answer: 2,
  unanswered: 2
}

const versionOf = new Uint8Array(256)
// The keys of the table above.
for (const name of Object.keys(broughtBy) as ReadonlyArray<keyof typeof LinkKind>) {
  versionOf[LinkKind[name]] = broughtBy[name]
}

/** The first version of the runners' protocol that has this frame; 0 = the frame is unknown. */
export const linkKindVersion = (kind: number): number => versionOf[kind] ?? 0

/** What a link does not allow: the peer is of another version, or it is no runner. The link ends. */
export class LinkFault extends Error {
  override readonly name = "LinkFault"
}

const headerBytes = 9
const refBytes = 4
const noBytes = new Uint8Array(0)

/** Memory for the frames of one turn, before it grows. */
const firstBytes = 4 * KiB

/** Puts the frames of one turn together. One frame for many clients crosses once. */
export class LinkWriter {
  #bytes = Buffer.allocUnsafe(firstBytes)
  #length = 0
  /** The broadcast that was written last and may get further refs, and where it starts. */
  #shared: Uint8Array | null = null
  #sharedAt = 0
  /** Frames since the start. */
  frames = 0

  get length(): number {
    return this.#length
  }

  frame(kind: number, ref: number, bytes: Uint8Array = noBytes): void {
    this.#shared = null
    const at = this.#begin(headerBytes + bytes.length)
    this.#head(at, { kind, ref })
    this.#bytes.set(bytes, at + headerBytes)
  }

  /** A frame of the room for one client. The same array for the next client adds a ref. */
  share(ref: number, frame: Uint8Array): void {
    if (this.#shared !== frame) {
      const at = this.#begin(headerBytes + frame.length)
      this.#head(at, { kind: LinkKind.deliver, ref: 0 })
      this.#bytes.set(frame, at + headerBytes)
      this.#shared = frame
      this.#sharedAt = at
    }
    const at = this.#sharedAt
    this.#grow(refBytes)
    this.#bytes.writeUInt32LE(ref, this.#length)
    this.#length += refBytes
    this.#bytes.writeUInt32LE(this.#length - at - 4, at)
    this.#bytes.writeUInt32LE(this.#bytes.readUInt32LE(at + 5) + 1, at + 5)
  }

  /** Everything since the last call; the memory is the caller's from here on. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.allocUnsafe(firstBytes)
    this.#length = 0
    this.#shared = null
    return taken
  }

  #begin(bytes: number): number {
    this.#grow(bytes)
    const at = this.#length
    this.#length += bytes
    this.#bytes.writeUInt32LE(bytes - 4, at)
    this.frames++
    return at
  }

  #head(at: number, { kind, ref }: { readonly kind: number; readonly ref: number }): void {
    this.#bytes[at + 4] = kind
    this.#bytes.writeUInt32LE(ref, at + 5)
  }

  #grow(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(2 * (this.#length + bytes))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}

/** Gets each frame of a link. `bytes` are a view that holds until the call returns. */
export type TakeLinkFrame = (kind: number, ref: number, bytes: Buffer) => void

/** Reads the frames of a link. Errors: {@link LinkFault}. */
export class LinkReader {
  readonly #splitter: FrameSplitter
  /** Frames since the start. */
  frames = 0

  constructor(take: TakeLinkFrame) {
    this.#splitter = new FrameSplitter({
      frame: (kind, payload) => {
        if (payload.length < refBytes) throw new LinkFault(`frame ${kind} has no ref`)
        this.frames++
        take(kind, payload.readUInt32LE(0), payload.subarray(refBytes))
      },
      lengthMax: (kind) => (largeKinds.has(kind) ? RuntimeLimits.roomFrameBytes.max : 0)
    })
  }

  /** Memory of the frame that has not come whole. */
  get heldBytes(): number {
    return this.#splitter.heldBytes
  }

  read(chunk: Buffer): void {
    try {
      this.#splitter.read(chunk)
    } catch (error) {
      throw error instanceof HostFrameError ? new LinkFault(error.message) : error
    }
  }

  close(): void {
    this.#splitter.close()
  }
}

/** The frames that may hold the whole state of a room, or many log lines. */
const largeKinds: ReadonlySet<number> = new Set([
  LinkKind.welcome,
  LinkKind.deliver,
  LinkKind.answer
])

/** Hands the frame of a `deliver` to each of its refs. */
export const eachDelivered = (
  count: number,
  bytes: Buffer,
  deliver: (ref: number, frame: Uint8Array) => void
): void => {
  const at = bytes.length - refBytes * count
  if (count === 0 || at < 0)
    throw new LinkFault(`a broadcast of ${bytes.length} bytes has ${count} refs`)
  // All of them get the same view: a frame is made ready for WebSockets once.
  const frame = bytes.subarray(0, at)
  for (let from = at; from < bytes.length; from += refBytes)
    deliver(bytes.readUInt32LE(from), frame)
}
