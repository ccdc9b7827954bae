import { Packr, Unpackr } from "msgpackr"

/** Nesting past this is refused: no honest frame needs it. */
const depthMax = 64

const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true })
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: "number" })

/** The bytes of `null`, booleans, numbers, text, `Uint8Array`, arrays and plain objects. */
export const packMsgpack = (value: unknown): Uint8Array<ArrayBuffer> =>
  new Uint8Array(packr.pack(value))

/**
 * The one value that fills the bytes. The library would allocate an array of whatever length a peer
 * claims, and its extension types build objects: what claims more than its bytes hold, nests too
 * deeply or has an extension type does not come to it.
 */
export const unpackMsgpack = (bytes: Uint8Array): unknown => {
  const fault = new Claims(bytes).fault()
  if (fault !== null) throw new Error(`no msgpack of the protocol: ${fault}`)
  // A Buffer would give Buffers for the binaries in it.
  return unpackr.unpack(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

/** Looks at the lengths that a document claims, and builds nothing. */
class Claims {
  readonly #bytes: DataView
  #at = 0
  /** Values that each open array or map still lacks. */
  readonly #open: Array<number> = [1]
  /** All of these together: each takes a byte at least. */
  #lacks = 1

  constructor(bytes: Uint8Array) {
    this.#bytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  fault(): string | null {
    while (this.#open.length > 0) {
      const lacking = this.#open.pop() ?? 0
      if (lacking === 0) continue
      this.#open.push(lacking - 1)
      this.#lacks -= 1
      const fault = this.#value()
      if (fault !== null) return fault
    }
    return this.#left === 0 ? null : `${this.#left} bytes too many`
  }

  get #left(): number {
    return this.#bytes.byteLength - this.#at
  }

  /** One value, or the head of an array or map. */
  #value(): string | null {
    if (this.#left < 1) return "the end is missing"
    const code = this.#bytes.getUint8(this.#at++)
    if (code < 0x80 || code >= 0xe0) return null
    if (code < 0x90) return this.#holds(2 * (code & 0x0f))
    if (code < 0xa0) return this.#holds(code & 0x0f)
    if (code < 0xc0) return this.#skips(code & 0x1f)
    const head = heads.get(code)
    if (head === undefined) return `the type 0x${code.toString(16)}`
    if (head.of === "bytes") return this.#skips(head.size)
    if (this.#left < head.size) return "the end is missing"
    const length = this.#whole(head.size)
    if (head.of === "text") return this.#skips(length)
    return this.#holds(head.of === "pairs" ? 2 * length : length)
  }

  #whole(size: number): number {
    const at = this.#at
    this.#at += size
    if (size === 1) return this.#bytes.getUint8(at)
    return size === 2 ? this.#bytes.getUint16(at) : this.#bytes.getUint32(at)
  }

  #skips(count: number): string | null {
    if (count > this.#left) return `${count} bytes claimed, and ${this.#left} there`
    this.#at += count
    return null
  }

  #holds(count: number): string | null {
    this.#lacks += count
    if (this.#lacks > this.#left) return `${this.#lacks} values claimed in ${this.#left} bytes`
    this.#open.push(count)
    return this.#open.length > depthMax + 1 ? "nested too deeply" : null
  }
}

interface Head {
  readonly size: number
  /** The code is followed by `size` bytes (`bytes`), or by a length of `size` bytes and that many of these. */
  readonly of: "bytes" | "text" | "items" | "pairs"
}

/** Codes that stand before more; extension types are not of the protocol. */
const heads = new Map<number, Head>([
  [0xc0, { size: 0, of: "bytes" }],
  [0xc2, { size: 0, of: "bytes" }],
  [0xc3, { size: 0, of: "bytes" }],
  [0xc4, { size: 1, of: "text" }],
  [0xc5, { size: 2, of: "text" }],
  [0xc6, { size: 4, of: "text" }],
  [0xca, { size: 4, of: "bytes" }],
  [0xcb, { size: 8, of: "bytes" }],
  [0xcc, { size: 1, of: "bytes" }],
  [0xcd, { size: 2, of: "bytes" }],
  [0xce, { size: 4, of: "bytes" }],
  [0xcf, { size: 8, of: "bytes" }],
  [0xd0, { size: 1, of: "bytes" }],
  [0xd1, { size: 2, of: "bytes" }],
  [0xd2, { size: 4, of: "bytes" }],
  [0xd3, { size: 8, of: "bytes" }],
  [0xd9, { size: 1, of: "text" }],
  [0xda, { size: 2, of: "text" }],
  [0xdb, { size: 4, of: "text" }],
  [0xdc, { size: 2, of: "items" }],
  [0xdd, { size: 4, of: "items" }],
  [0xde, { size: 2, of: "pairs" }],
  [0xdf, { size: 4, of: "pairs" }]
])
