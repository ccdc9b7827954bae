import { CodecError } from "./CodecError.ts"

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const LoopBytesMax = 24

/** Reads bytes of which nothing is trusted: whatever is not there or too large is a `CodecError`. */
export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Bytes that have been read. */
  get position(): number {
    return this.#at
  }

  get remaining(): number {
    return this.#bytes.length - this.#at
  }

  /** Never returns: the types say so where a value is expected. */
  fail(problem: string): never {
    throw new CodecError(`${problem} at byte ${this.#at}`)
  }

  /** Fails when bytes are left. */
  end(): void {
    if (this.remaining !== 0) this.fail(`${this.remaining} bytes too many`)
  }

  #claim(count: number): number {
    const at = this.#at
    if (count > this.#bytes.length - at)
      this.fail(`${count} bytes expected, ${this.remaining} left`)
    this.#at = at + count
    return at
  }

  u8(): number {
    return this.#view.getUint8(this.#claim(1))
  }

  i8(): number {
    return this.#view.getInt8(this.#claim(1))
  }

  u16(): number {
    return this.#view.getUint16(this.#claim(2), true)
  }

  i16(): number {
    return this.#view.getInt16(this.#claim(2), true)
  }

  u32(): number {
    return this.#view.getUint32(this.#claim(4), true)
  }

  i32(): number {
    return this.#view.getInt32(this.#claim(4), true)
  }

  f32(): number {
    return this.#view.getFloat32(this.#claim(4), true)
  }

  f64(): number {
    return this.#view.getFloat64(this.#claim(8), true)
  }

  /** A varuint of at most 32 bits; a longer form than needed is refused, so that bytes are unique. */
  varuint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8()
      if (shift === 28 && byte > 0x0f) return this.fail("a number over 32 bits")
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) {
        return byte === 0 && shift > 0 ? this.fail("a number with a zero too many") : value >>> 0
      }
    }
    return this.fail("a number over 32 bits")
  }

  /** Passes over the next bytes if they are these. */
  skips(bytes: Uint8Array): boolean {
    const at = this.#at
    if (bytes.length > this.remaining) return false
    if (bytes.some((byte, place) => byte !== this.#bytes[at + place])) return false
    this.#at += bytes.length
    return true
  }

  /** A copy of the next bytes. */
  raw(count: number): Uint8Array {
    const at = this.#claim(count)
    return this.#bytes.slice(at, at + count)
  }

  /** The next bytes without a copy: for masks, read before the caller returns. */
  peek(count: number): Uint8Array {
    const at = this.#claim(count)
    return this.#bytes.subarray(at, at + count)
  }

  bytes(max: number): Uint8Array {
    const count = this.varuint()
    if (count > max) this.fail(`${count} bytes where ${max} are the most`)
    return this.raw(count)
  }

  text(max: number): string {
    const count = this.varuint()
    if (count > max) this.fail(`${count} bytes of text where ${max} are the most`)
    return this.utf8(count)
  }

  utf8(count: number): string {
    const at = this.#claim(count)
    if (count <= LoopBytesMax) {
      const text = this.#ascii(at, count)
      if (text !== null) return text
    }
    try {
      return decoder.decode(this.#bytes.subarray(at, at + count))
    } catch {
      return this.fail("text that is not UTF-8")
    }
  }

  #ascii(at: number, count: number): string | null {
    let text = ""
    for (let place = at; place < at + count; place += 1) {
      const byte = this.#view.getUint8(place)
      if (byte >= 0x80) return null
      text += String.fromCharCode(byte)
    }
    return text
  }
}
