/**
 * The frames on fd 3 between the service and a room process.
 *
 * A frame is u32 (little endian, the number of bytes that follow), u8 kind, payload. In payloads,
 * numbers are little endian, `text` is u32 length + UTF-8, `rest` runs to the end of the frame.
 * Both sides decode defensively; the service treats every frame of a room process as hostile.
 * Source: docs/isolation.md, "What room code can reach".
 */

/** Frames to the room process. */
export const ToRoom = {
  /** `u8 mode, rest = JavaScript`; with the mode `cached`, `u32 length, payload of compiled` before it. Read by boot. */
  load: 1,
  /** `text = JSON header, u8 has snapshot, rest = snapshot` */
  start: 2,
  /** `u32 ref, text = JSON header, u8 has player, text player, rest = options as msgpack` */
  join: 3,
  /** `u32 ref, rest = a client frame` */
  data: 4,
  /** `u32 ref`: the socket was lost. */
  drop: 5,
  /** `u32 ref`: the client left for good. */
  leave: 6,
  /** `u32 request id, u8 final, u8 peek`; the last where somebody only looks. */
  takeSnapshot: 7,
  /** `u32 save id, u8 stored` */
  saved: 8,
  /** `f64 service time` */
  clock: 9,
  /** `u32 number` */
  ping: 10,
  /** `u32 number`: collect garbage and tell how much is alive. */
  weigh: 11,
  /** `u32 call id, u8 answered, rest = the answer, or [code, message], as msgpack` */
  callAnswered: 12,
  /** `u32 request id, u32 number of a chunk, u8 for the recording` */
  takeChunk: 13,
  /** `u32 request id, text = JSON of the options`: somebody asks for a clip. */
  makeClip: 14,
  /** `text replay id, text why`: the service has ended the recording. */
  recordingEnded: 15,
  /** `u32 bytes` that the footage may have from now on. */
  ringBytes: 16,
  /** `u32 request id, text = JSON header, rest = what is stored`: of a process without a room. */
  migrate: 17,
  /** `u32 number`: the frames that follow are for this room of a shared process; 0 = for the process itself. */
  room: 18,
  /** Empty: a shared process makes the room, with a module instance of its own. */
  open: 19,
  /** Empty: a shared process lets go of the room. Answered by `ended`. */
  close: 20
} as const

/** Frames from the room process. */
export const FromRoom = {
  /** Empty: waits for code. */
  booted: 32,
  /** `text = JSON`: the answer in describe mode. */
  described: 33,
  /** `text = why, text = stack`: the code cannot run this room. The process ends. */
  failed: 34,
  /** Empty: joins are taken. */
  ready: 35,
  /** `u32 ref, u8 resumed, u32 tick, text session id, rest = state` */
  joined: 36,
  /** `u32 ref, text code, text message` */
  refused: 37,
  /** `u16 count (0xffff = all), u32 ref…, rest = a frame for clients` */
  deliver: 38,
  /** `u32 ref, u16 close code, text reason` */
  kick: 39,
  /** Empty. */
  changed: 40,
  /** `u32 save id, u8 as a generation` */
  saveRequested: 41,
  /** `u32 request id, rest = snapshot` */
  snapshot: 42,
  /** `u16 count, {f64 at, text name}…` */
  alarms: 43,
  /** `u8 isPublic, u8 started`: 0, 1, or 2 for unchanged; `text metadata` as JSON, where it has changed. */
  lobby: 44,
  /** `u8 level, text line` */
  log: 45,
  /** `text player id, rest = packed fields` */
  player: 46,
  /** `u32 number, u32 ticks that overran since the start`: the latter where the start order asks for it. */
  pong: 47,
  /** `u32 number, f64 live bytes` */
  weighed: 48,
  /** `u32 request id, f64 bytes`: in the place of a snapshot. */
  snapshotTooLarge: 49,
  /** `u32 call id, text name, rest = the payload as msgpack`: an in-room call. */
  called: 50,
  /** `u32 ref, u32 id of the call, text message, text stack`: in `dev`, in the place of its refusal. */
  callFailed: 51,
  /** `text = JSON [[session id, speaks, hears] | [session id]…]`, where the start order asks for it. */
  voice: 52,
  /** `u32 request id, rest = the chunk`; empty = it is gone. */
  chunk: 53,
  /** `u32 number, u8 last`: a chunk of the recording is there to be taken. */
  chunkReady: 54,
  /** Empty: the recording has no further chunks, as nothing can be recorded. */
  recordingLost: 55,
  /** `u32 request id, u8 made, rest = the clip, or [code, message], as msgpack` */
  clipMade: 56,
  /** `u32 request id, rest = what is to be stored`: the answer to `migrate`. */
  migrated: 57,
  /** `u32 request id, text message, text stack`: in the place of `migrated`. */
  migrateFailed: 58,
  /** `u32 version tag, rest = V8's cache`: boot sends it before it runs the code. */
  compiled: 59,
  /** `u32 number`: the frames that follow are of this room of a shared process; 0 = of the process itself. */
  room: 60,
  /** `u8 exit code`: a room of a shared process is no more; the process goes on. */
  ended: 61
} as const

/** Bytes before the payload: length and kind. */
export const FrameHeaderBytes = 5

/**
 * The uses of `load`: it asks for the room types of a bundle, or for a room. `tell` is `start`, and boot tells what
 * V8 made of the code; `cached` is `start` with what another process told; `shared` is for many rooms, each of which `open` makes.
 */
export const LoadMode = { describe: 0, start: 1, tell: 2, cached: 3, shared: 4 } as const

export const LogLevels = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof LogLevels)[number]

/** A frame that breaks the layout. */
export class HostFrameError extends Error {
  override readonly name = "HostFrameError"
}

const utf8Encoder = new TextEncoder()
const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** One part of a payload, in the order of the layout. */
type Part =
  | { readonly u8: number }
  | { readonly u16: number }
  | { readonly u32: number }
  | { readonly f64: number }
  | { readonly text: Uint8Array }
  | { readonly rest: Uint8Array }

const widthOf = (part: Part): number => {
  if ("u8" in part) return 1
  if ("u16" in part) return 2
  if ("u32" in part) return 4
  if ("f64" in part) return 8
  return "text" in part ? 4 + part.text.length : part.rest.length
}

/** The UTF-8 of a text, as a part of {@link frameOf}. */
export const text = (value: string): Part => ({ text: utf8Encoder.encode(value) })

/** Builds a frame with its header. */
export const frameOf = (kind: number, ...parts: ReadonlyArray<Part>): Uint8Array<ArrayBuffer> => {
  let bytes = FrameHeaderBytes
  for (const part of parts) bytes += widthOf(part)
  const frame = new Uint8Array(bytes)
  const view = new DataView(frame.buffer)
  view.setUint32(0, bytes - 4, true)
  frame[4] = kind
  let at = FrameHeaderBytes
  for (const part of parts) {
    write(view, at, part)
    at += widthOf(part)
  }
  return frame
}

const write = (view: DataView, at: number, part: Part): void => {
  const bytes = new Uint8Array(view.buffer)
  if ("u8" in part) view.setUint8(at, part.u8)
  else if ("u16" in part) view.setUint16(at, part.u16, true)
  else if ("u32" in part) view.setUint32(at, part.u32, true)
  else if ("f64" in part) view.setFloat64(at, part.f64, true)
  else if ("rest" in part) bytes.set(part.rest, at)
  else {
    view.setUint32(at, part.text.length, true)
    bytes.set(part.text, at + 4)
  }
}

/** A frame for some clients, or for all that are in the room. Built without a detour: it is hot. */
export const deliverFrame = (
  refs: ReadonlyArray<number> | "all",
  frame: Uint8Array
): Uint8Array<ArrayBuffer> => {
  const count = refs === "all" ? 0 : refs.length
  const head = FrameHeaderBytes + 2 + 4 * count
  const bytes = new Uint8Array(head + frame.length)
  writeU32(bytes, 0, bytes.length - 4)
  bytes[4] = FromRoom.deliver
  const mark = refs === "all" ? AllRefs : count
  bytes[5] = mark
  bytes[6] = mark >>> 8
  for (let index = 0; index < count; index++) {
    // The loop stays within the array: the fallback is never taken.
    if (refs !== "all") writeU32(bytes, 7 + 4 * index, refs[index] ?? 0)
  }
  bytes.set(frame, head)
  return bytes
}

/** A client's frame for the room. */
export const dataFrame = (ref: number, data: Uint8Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(FrameHeaderBytes + 4 + data.length)
  writeDataFrame(bytes, { at: 0, ref, data })
  return bytes
}

/** Writes a client's frame for the room into bytes that have the place for it. It is hot. */
export const writeDataFrame = (
  into: Uint8Array,
  { at, ref, data }: { readonly at: number; readonly ref: number; readonly data: Uint8Array }
): void => {
  writeU32(into, at, data.length + FrameHeaderBytes)
  into[at + 4] = ToRoom.data
  writeU32(into, at + FrameHeaderBytes, ref)
  into.set(data, at + FrameHeaderBytes + 4)
}

const writeU32 = (into: Uint8Array, at: number, value: number): void => {
  into[at] = value
  into[at + 1] = value >>> 8
  into[at + 2] = value >>> 16
  into[at + 3] = value >>> 24
}

const AllRefs = 0xffff

/** Reads the parts of one payload. Errors: {@link HostFrameError}, nothing else. */
export class PayloadReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  u8(): number {
    return this.#view.getUint8(this.#skip(1))
  }

  u16(): number {
    return this.#view.getUint16(this.#skip(2), true)
  }

  u32(): number {
    return this.#view.getUint32(this.#skip(4), true)
  }

  f64(): number {
    return this.#view.getFloat64(this.#skip(8), true)
  }

  /** Exactly 0 or 1. */
  flag(): boolean {
    const value = this.u8()
    if (value > 1) throw new HostFrameError("a flag is neither 0 nor 1")
    return value === 1
  }

  /** @param bytesMax longest text that is taken, in bytes */
  text(bytesMax: number): string {
    const bytes = this.#bytesOf(this.u32(), bytesMax)
    try {
      return utf8Decoder.decode(bytes)
    } catch {
      throw new HostFrameError("a text is not UTF-8")
    }
  }

  /** A copy of a `text` part that holds bytes. */
  bytes(bytesMax: number): Uint8Array {
    return this.#bytesOf(this.u32(), bytesMax).slice()
  }

  /** The rest of the payload, as a view of it. */
  rest(bytesMax: number): Uint8Array {
    return this.#bytesOf(this.#bytes.length - this.#at, bytesMax)
  }

  /** The recipients of a `deliver`. */
  refs(): ReadonlyArray<number> | "all" {
    const count = this.u16()
    if (count === AllRefs) return "all"
    if (count * 4 > this.#bytes.length - this.#at) throw new HostFrameError("the end is missing")
    const refs: number[] = []
    for (let index = 0; index < count; index++) refs.push(this.u32())
    return refs
  }

  /** Whether there is more to read. */
  get hasMore(): boolean {
    return this.#at < this.#bytes.length
  }

  /** Demands that nothing is left over. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new HostFrameError("bytes are left over")
  }

  #bytesOf(length: number, bytesMax: number): Uint8Array {
    if (length > bytesMax) throw new HostFrameError(`a part of ${length} bytes is too long`)
    const from = this.#skip(length)
    return this.#bytes.subarray(from, from + length)
  }

  #skip(length: number): number {
    const from = this.#at
    if (length > this.#bytes.length - from) throw new HostFrameError("the end is missing")
    this.#at = from + length
    return from
  }
}
