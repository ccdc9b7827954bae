/**
 * As much of msgpack as the protocol needs, for the reference client. It follows the msgpack
 * specification and docs/protocol.md, and shares no code with the SDK, whose proof it is.
 */

const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder("utf-8", { ignoreBOM: true }) }

/** The bytes of `null`, booleans, numbers, text, `Uint8Array`, arrays and plain objects. */
export const packMsgpack = (value: unknown): Uint8Array<ArrayBuffer> => {
  const bytes: Array<number> = []
  pack(bytes, value)
  return Uint8Array.from(bytes)
}

/** A length or number in the fewest of 1, 2 or 4 bytes, behind the code of that size. */
const head = (bytes: Array<number>, firstCode: number, count: number): void => {
  const size = count <= 0xff ? 0 : count <= 0xffff ? 1 : 2
  bytes.push(firstCode + size)
  for (let shift = 8 * (2 ** size - 1); shift >= 0; shift -= 8) bytes.push((count >>> shift) & 0xff)
}

/** Arrays and maps have no form with a length of one byte. */
const listHead = (bytes: Array<number>, codes: readonly [number, number], count: number): void => {
  if (count < 16) bytes.push(codes[0] + count)
  else if (count <= 0xff) bytes.push(codes[1], 0, count)
  else head(bytes, codes[1] - 1, count)
}

const pack = (bytes: Array<number>, value: unknown): void => {
  if (value === null || value === undefined) bytes.push(0xc0)
  else if (typeof value === "boolean") bytes.push(value ? 0xc3 : 0xc2)
  else if (typeof value === "number") packNumber(bytes, value)
  else if (typeof value === "string") {
    const text = utf8.encoder.encode(value)
    if (text.length < 32) bytes.push(0xa0 + text.length)
    else head(bytes, 0xd9, text.length)
    for (const byte of text) bytes.push(byte)
  } else if (value instanceof Uint8Array) {
    head(bytes, 0xc4, value.length)
    for (const byte of value) bytes.push(byte)
  } else if (Array.isArray(value)) {
    listHead(bytes, [0x90, 0xdc], value.length)
    for (const item of value) pack(bytes, item)
  } else {
    const entries = Object.entries(value)
    listHead(bytes, [0x80, 0xde], entries.length)
    for (const entry of entries) for (const item of entry) pack(bytes, item)
  }
}

const packNumber = (bytes: Array<number>, value: number): void => {
  if (Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff && !Object.is(value, -0)) {
    if (value < 0x80) bytes.push(value)
    else head(bytes, 0xcc, value)
    return
  }
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  bytes.push(0xcb, ...new Uint8Array(view.buffer))
}

/** Reads one value that fills the bytes. */
export const unpackMsgpack = (bytes: Uint8Array): unknown => {
  const source = new Source(bytes)
  const value = source.value()
  if (source.at !== bytes.length) throw new Error(`bytes are left over at ${source.at}`)
  return value
}

class Source {
  at = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  value(): unknown {
    const code = this.#whole(1)
    if (code < 0x80) return code
    if (code < 0x90) return this.#map(code & 0x0f)
    if (code < 0xa0) return this.#array(code & 0x0f)
    if (code < 0xc0) return this.#text(code & 0x1f)
    if (code >= 0xe0) return code - 0x100
    if (code >= 0xc4 && code <= 0xc6) return this.#take(this.#whole(2 ** (code - 0xc4))).slice()
    if (code >= 0xcc && code <= 0xcf) return this.#whole(2 ** (code - 0xcc))
    if (code >= 0xd0 && code <= 0xd3) return this.#signed(2 ** (code - 0xd0))
    if (code >= 0xd9 && code <= 0xdb) return this.#text(this.#whole(2 ** (code - 0xd9)))
    if (code === 0xdc || code === 0xdd) return this.#array(this.#whole(2 * (code - 0xdb)))
    if (code === 0xde || code === 0xdf) return this.#map(this.#whole(2 * (code - 0xdd)))
    if (code === 0xca) return this.#view.getFloat32(this.#skip(4))
    if (code === 0xcb) return this.#view.getFloat64(this.#skip(8))
    if (code === 0xc0) return null
    if (code === 0xc2 || code === 0xc3) return code === 0xc3
    throw new Error(`the code 0x${code.toString(16)} is not of the protocol`)
  }

  #whole(byteCount: number): number {
    let value = 0
    for (const byte of this.#take(byteCount)) value = value * 0x100 + byte
    return value
  }

  #signed(byteCount: number): number {
    // Of 8 bytes the upper half is far past what a double holds exactly, unless it is signed first.
    if (byteCount === 8) return Number(this.#view.getBigInt64(this.#skip(8)))
    const value = this.#whole(byteCount)
    return value < 2 ** (8 * byteCount - 1) ? value : value - 2 ** (8 * byteCount)
  }

  #text(length: number): string {
    return utf8.decoder.decode(this.#take(length))
  }

  #array(length: number): Array<unknown> {
    return Array.from({ length }, () => this.value())
  }

  #map(length: number): Record<string, unknown> {
    return Object.fromEntries(Array.from({ length }, () => [this.value(), this.value()]))
  }

  #take(count: number): Uint8Array {
    const from = this.#skip(count)
    return this.#bytes.subarray(from, from + count)
  }

  #skip(count: number): number {
    const from = this.at
    if (from + count > this.#bytes.length) throw new Error("the end is missing")
    this.at = from + count
    return from
  }
}
