import { utf8Length } from "../text/Utf8.ts"

const FirstBytes = 256
// Below this length a loop beats the call into the encoder.
const LoopCharsMax = 48
const encoder = new TextEncoder()

/** A growing buffer, little endian. Kept and reset between encodings, so that a tick allocates once. */
export class ByteWriter {
  #bytes = new Uint8Array(FirstBytes)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  get length(): number {
    return this.#length
  }

  reset(): void {
    this.#length = 0
  }

  /** Takes back what was written past a length. */
  truncate(length: number): void {
    this.#length = Math.min(length, this.#length)
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #claim(count: number): number {
    const at = this.#length
    const end = at + count
    if (end > this.#bytes.length) this.#grow(end)
    this.#length = end
    return at
  }

  #grow(needed: number): void {
    const bytes = new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
    bytes.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }

  u8(value: number): void {
    const at = this.#claim(1)
    this.#bytes[at] = value
  }

  u16(value: number): void {
    const at = this.#claim(2)
    this.#view.setUint16(at, value, true)
  }

  u32(value: number): void {
    const at = this.#claim(4)
    this.#view.setUint32(at, value, true)
  }

  f32(value: number): void {
    const at = this.#claim(4)
    this.#view.setFloat32(at, value, true)
  }

  f64(value: number): void {
    const at = this.#claim(8)
    this.#view.setFloat64(at, value, true)
  }

  /** A number up to 2^32-1: 7 bits a byte, the lowest first, the top bit set on all but the last. */
  varuint(value: number): void {
    let rest = value >>> 0
    while (rest >= 0x80) {
      this.u8((rest & 0x7f) | 0x80)
      rest >>>= 7
    }
    this.u8(rest)
  }

  raw(bytes: Uint8Array): void {
    const at = this.#claim(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** A varuint of the bytes, then the bytes. */
  bytes(bytes: Uint8Array): void {
    this.varuint(bytes.length)
    this.raw(bytes)
  }

  /** Well-formed text: a varuint of its bytes in UTF-8, then those. */
  text(text: string): void {
    const bytes = utf8Length(text)
    this.varuint(bytes)
    this.utf8(text, bytes)
  }

  /** The UTF-8 of well-formed text, of which the caller knows the length. */
  utf8(text: string, bytes: number): void {
    const at = this.#claim(bytes)
    if (bytes === text.length && bytes <= LoopCharsMax) {
      for (let char = 0; char < bytes; char += 1) this.#bytes[at + char] = text.charCodeAt(char)
      return
    }
    encoder.encodeInto(text, this.#bytes.subarray(at, at + bytes))
  }
}
