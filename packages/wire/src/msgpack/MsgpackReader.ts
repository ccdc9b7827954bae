/**
 * msgpack for values that come from or go to a client without a schema, and for snapshots.
 *
 * Not msgpackr: that allocates an array of whatever length a client claims, and its extension types
 * build objects. This reader knows plain values only, and never allocates more than the bytes justify.
 */

/** A plain value: what a msgpack document without extension types can hold. */
export type Plain =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | ReadonlyArray<Plain>
  | { readonly [key: string]: Plain }

/** Bytes that are not msgpack, or a value that msgpack cannot carry. */
export class MsgpackError extends Error {
  override readonly name = "MsgpackError"
}

/** Nesting past this is refused: no honest message needs it, and recursion must stay bounded. */
export const DepthMax = 64

/** Up to this length a loop beats the call into the decoder. */
const LoopBytesMax = 24

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Reads msgpack values one after another from `bytes`. Errors: {@link MsgpackError}, nothing else. */
export class MsgpackReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get done(): boolean {
    return this.#at === this.#bytes.length
  }

  /** Reads the header of an array and returns its length. */
  arrayLength(): number {
    const token = this.#u8()
    if (token >= 0x90 && token <= 0x9f) return token - 0x90
    if (token === 0xdc) return this.#u16()
    if (token === 0xdd) return this.#u32()
    throw this.#wrong("an array is expected")
  }

  /** Reads one value of any kind. */
  value(depth = 0): Plain {
    if (depth > DepthMax) throw this.#wrong("nested too deeply")
    const token = this.#u8()
    if (token <= 0x7f) return token
    if (token >= 0xe0) return token - 0x100
    if (token <= 0x8f) return this.#map(token - 0x80, depth)
    if (token <= 0x9f) return this.#array(token - 0x90, depth)
    if (token <= 0xbf) return this.#string(token - 0xa0)
    if (token >= 0xca && token <= 0xd3) return this.#number(token)
    return this.#sized(token, depth)
  }

  #sized(token: number, depth: number): Plain {
    switch (token) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc4:
        return this.#take(this.#u8()).slice()
      case 0xc5:
        return this.#take(this.#u16()).slice()
      case 0xc6:
        return this.#take(this.#u32()).slice()
      case 0xd9:
        return this.#string(this.#u8())
      case 0xda:
        return this.#string(this.#u16())
      case 0xdb:
        return this.#string(this.#u32())
      case 0xdc:
        return this.#array(this.#u16(), depth)
      case 0xdd:
        return this.#array(this.#u32(), depth)
      case 0xde:
        return this.#map(this.#u16(), depth)
      case 0xdf:
        return this.#map(this.#u32(), depth)
      default:
        throw this.#wrong(`type 0x${token.toString(16)} is not allowed`)
    }
  }

  #number(token: number): number | bigint {
    const view = this.#view
    switch (token) {
      case 0xca:
        return view.getFloat32(this.#skip(4))
      case 0xcb:
        return view.getFloat64(this.#skip(8))
      case 0xcc:
        return this.#u8()
      case 0xcd:
        return this.#u16()
      case 0xce:
        return this.#u32()
      case 0xcf:
        return narrow(view.getBigUint64(this.#skip(8)))
      case 0xd0:
        return view.getInt8(this.#skip(1))
      case 0xd1:
        return view.getInt16(this.#skip(2))
      case 0xd2:
        return view.getInt32(this.#skip(4))
      default:
        return narrow(view.getBigInt64(this.#skip(8)))
    }
  }

  #array(length: number, depth: number): ReadonlyArray<Plain> {
    this.#holds(length)
    const items: Plain[] = []
    for (let index = 0; index < length; index++) items.push(this.value(depth + 1))
    return items
  }

  #map(length: number, depth: number): { readonly [key: string]: Plain } {
    this.#holds(length * 2)
    const map: { [key: string]: Plain } = {}
    for (let index = 0; index < length; index++) {
      const key = this.value(depth + 1)
      if (typeof key !== "string" && typeof key !== "number")
        throw this.#wrong("a map key is no text")
      const value = this.value(depth + 1)
      // A plain assignment of this name would change the prototype instead of adding a key.
      if (key === "__proto__") throw this.#wrong("the key __proto__ is not allowed")
      map[key] = value
    }
    return map
  }

  #string(length: number): string {
    const short = length <= LoopBytesMax ? this.#ascii(length) : null
    if (short !== null) return short
    try {
      return utf8.decode(this.#take(length))
    } catch (error) {
      throw error instanceof MsgpackError ? error : this.#wrong("a text is not UTF-8")
    }
  }

  /** A text of ASCII alone, as most keys are; `null` = it is none, and nothing was read. */
  #ascii(length: number): string | null {
    if (length > this.#bytes.length - this.#at) return null
    let text = ""
    for (let at = this.#at; at < this.#at + length; at++) {
      const byte = this.#bytes[at] ?? 0x80
      if (byte >= 0x80) return null
      text += String.fromCharCode(byte)
    }
    this.#at += length
    return text
  }

  /** Every element takes a byte at least, so a claimed length can be checked before any is read. */
  #holds(elements: number): void {
    if (elements > this.#bytes.length - this.#at) throw this.#wrong("the end is missing")
  }

  #take(length: number): Uint8Array {
    const from = this.#skip(length)
    return this.#bytes.subarray(from, from + length)
  }

  #skip(length: number): number {
    const from = this.#at
    if (length > this.#bytes.length - from) throw this.#wrong("the end is missing")
    this.#at = from + length
    return from
  }

  #u8(): number {
    return this.#view.getUint8(this.#skip(1))
  }

  #u16(): number {
    return this.#view.getUint16(this.#skip(2))
  }

  #u32(): number {
    return this.#view.getUint32(this.#skip(4))
  }

  #wrong(why: string): MsgpackError {
    return new MsgpackError(`not valid msgpack at byte ${this.#at}: ${why}`)
  }
}

const narrow = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value

/** Reads one value that fills `bytes`. Errors: {@link MsgpackError}. */
export const unpackValue = (bytes: Uint8Array): Plain => {
  const reader = new MsgpackReader(bytes)
  const value = reader.value()
  if (!reader.done) throw new MsgpackError("not valid msgpack: bytes are left over")
  return value
}
