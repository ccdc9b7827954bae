import { DepthMax, MsgpackError } from "./MsgpackReader.ts"

const utf8 = new TextEncoder()

/** Writes msgpack values one after another. */
export class MsgpackWriter {
  #bytes: Uint8Array<ArrayBuffer>
  #view: DataView
  #length = 0

  constructor(bytesExpected = 64) {
    this.#bytes = new Uint8Array(bytesExpected)
    this.#view = new DataView(this.#bytes.buffer)
  }

  /** The bytes that were written; the writer must not be used again. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  /** A copy of what was written; the writer may be used again after a reset. */
  copy(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length)
  }

  /** Forgets what was written. */
  reset(): void {
    this.#length = 0
  }

  array(length: number): void {
    if (length <= 15) this.#byte(0x90 + length)
    else if (length <= 0xffff) this.#head(0xdc, 2, length)
    else this.#head(0xdd, 4, length)
  }

  map(length: number): void {
    if (length <= 15) this.#byte(0x80 + length)
    else if (length <= 0xffff) this.#head(0xde, 2, length)
    else this.#head(0xdf, 4, length)
  }

  number(value: number): void {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) this.#f64(value)
    else if (value < 0) this.#negative(value)
    else if (value <= 0x7f) this.#byte(value)
    else if (value <= 0xff) this.#head(0xcc, 1, value)
    else if (value <= 0xffff) this.#head(0xcd, 2, value)
    else if (value <= 0xffff_ffff) this.#head(0xce, 4, value)
    else this.#i64(0xcf, BigInt(value))
  }

  string(value: string): void {
    const bytes = utf8.encode(value)
    const length = bytes.length
    if (length <= 31) this.#byte(0xa0 + length)
    else if (length <= 0xff) this.#head(0xd9, 1, length)
    else if (length <= 0xffff) this.#head(0xda, 2, length)
    else this.#head(0xdb, 4, length)
    this.#raw(bytes)
  }

  binary(bytes: Uint8Array): void {
    const length = bytes.length
    if (length <= 0xff) this.#head(0xc4, 1, length)
    else if (length <= 0xffff) this.#head(0xc5, 2, length)
    else this.#head(0xc6, 4, length)
    this.#raw(bytes)
  }

  /** Writes a plain value. Errors: {@link MsgpackError} that names what cannot be carried. */
  value(value: unknown, depth = 0): void {
    if (depth > DepthMax) throw new MsgpackError("the value is nested too deeply")
    if (value === null || value === undefined) this.#byte(0xc0)
    else if (typeof value === "boolean") this.#byte(value ? 0xc3 : 0xc2)
    else if (typeof value === "number") this.number(value)
    else if (typeof value === "string") this.string(value)
    else if (typeof value === "bigint") this.#bigint(value)
    else if (value instanceof Uint8Array) this.binary(value)
    else if (Array.isArray(value)) {
      this.array(value.length)
      for (const item of value) this.value(item, depth + 1)
    } else if (isPlainObject(value)) this.#object(value, depth)
    else throw new MsgpackError(`${kindOf(value)} cannot be sent`)
  }

  #object(value: object, depth: number): void {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined)
    this.map(entries.length)
    for (const [key, item] of entries) {
      this.string(key)
      this.value(item, depth + 1)
    }
  }

  #negative(value: number): void {
    if (value >= -32) this.#byte(0x100 + value)
    else if (value >= -0x80) this.#head(0xd0, 1, value & 0xff)
    else if (value >= -0x8000) this.#head(0xd1, 2, value & 0xffff)
    else if (value >= -0x8000_0000) this.#head(0xd2, 4, value >>> 0)
    else this.#i64(0xd3, BigInt(value))
  }

  #bigint(value: bigint): void {
    if (BigInt.asIntN(64, value) === value) this.#i64(0xd3, value)
    else if (BigInt.asUintN(64, value) === value) this.#i64(0xcf, value)
    else throw new MsgpackError("a bigint of more than 64 bits cannot be sent")
  }

  #byte(value: number): void {
    const at = this.#grow(1)
    this.#bytes[at] = value
  }

  #head(token: number, width: 1 | 2 | 4, value: number): void {
    const at = this.#grow(1 + width)
    this.#bytes[at] = token
    if (width === 1) this.#view.setUint8(at + 1, value)
    else if (width === 2) this.#view.setUint16(at + 1, value)
    else this.#view.setUint32(at + 1, value)
  }

  #i64(token: number, value: bigint): void {
    const at = this.#grow(9)
    this.#bytes[at] = token
    this.#view.setBigInt64(at + 1, BigInt.asIntN(64, value))
  }

  #f64(value: number): void {
    const at = this.#grow(9)
    this.#bytes[at] = 0xcb
    this.#view.setFloat64(at + 1, value)
  }

  #raw(bytes: Uint8Array): void {
    const at = this.#grow(bytes.length)
    this.#bytes.set(bytes, at)
  }

  #grow(bytes: number): number {
    const at = this.#length
    const needed = at + bytes
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
      larger.set(this.#bytes.subarray(0, at))
      this.#bytes = larger
      this.#view = new DataView(larger.buffer)
    }
    this.#length = needed
    return at
  }
}

/**
 * The msgpack bytes of one plain value. Errors: {@link MsgpackError}.
 *
 * @param bytesExpected where the caller knows that it is large: a buffer that grows is copied each time
 */
export const packValue = (value: unknown, bytesExpected?: number): Uint8Array<ArrayBuffer> => {
  const writer = new MsgpackWriter(bytesExpected)
  writer.value(value)
  return writer.finish()
}

const isPlainObject = (value: unknown): value is object => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

const kindOf = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `an object of class ${value.constructor.name}`
    : `a ${typeof value}`
