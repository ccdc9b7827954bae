import { ByteReader } from "../codec/ByteReader.ts"
import { ChunkVersion } from "./ChunkLayout.ts"
import { type Order, Orders, Predictor } from "./Predictor.ts"
import { ReplayLimits } from "./ReplayLimits.ts"

/**
 * Makes a stored chunk plain again, byte for byte. Nothing in it is trusted: it takes memory and time in proportion to
 * its own bytes and to those of a plain chunk at most. Errors: `CodecError`.
 */
export const unpackChunk = (chunk: Uint8Array): Uint8Array => {
  const reader = new ByteReader(chunk)
  const version = reader.u8()
  if (version === ChunkVersion.plain) return chunk
  if (version !== ChunkVersion.packed) reader.fail(`a chunk of version ${version}`)
  const length = reader.varuint()
  if (length > ReplayLimits.replayChunkBytes.max) reader.fail(`a chunk of ${length} bytes`)
  const skeleton = partOf(reader)
  const groupCount = reader.varuint()
  const groups = new ByteReader(partOf(reader))
  const columns = columnsIn(reader)
  reader.end()
  const plain = new Plain(length, skeleton)
  for (let group = 0; group < groupCount; group += 1) readGroup(groups, columns, plain)
  groups.end()
  return plain.finish()
}

/** Writes the next value of an entity's field. */
type WriteValue = (plain: Plain, row: number) => void

const partOf = (reader: ByteReader): Uint8Array => reader.peek(reader.varuint())

const columnsIn = (reader: ByteReader): ReadonlyMap<number, WriteValue> => {
  const count = reader.varuint()
  if (count > reader.remaining) reader.fail(`${count} fields in ${reader.remaining} bytes`)
  const columns = new Map<number, WriteValue>()
  let column = -1
  for (let index = 0; index < count; index += 1) {
    column += 1 + reader.varuint()
    const width = reader.u8()
    columns.set(column, width === 0 ? textsIn(reader) : numbersIn(reader, width))
  }
  return columns
}

const textsIn = (reader: ByteReader): WriteValue => {
  const lengths = new ByteReader(partOf(reader))
  const content = new ByteReader(partOf(reader))
  return (plain) => plain.add(content.peek(lengths.varuint()))
}

const numbersIn = (reader: ByteReader, width: number): WriteValue => {
  if (width !== 1 && width !== 2 && width !== 4 && width !== 8) {
    return reader.fail(`a number of ${width} bytes`)
  }
  const laneWidth = Math.min(4, width)
  const lanes = Array.from({ length: width / laneWidth }, () => laneIn(reader, laneWidth))
  return (plain, row) => {
    for (const lane of lanes) lane(plain, row)
  }
}

const laneIn = (reader: ByteReader, width: number): WriteValue => {
  const planes: Array<Uint8Array> = []
  const predictor = new Predictor(width, orderIn(reader))
  for (let byte = 0; byte < width; byte += 1) planes.push(partOf(reader))
  let at = 0
  return (plain, row) => {
    let difference = 0
    for (let byte = 0; byte < width; byte += 1) {
      const value = planes[byte]?.[at]
      if (value === undefined) return reader.fail("a value is missing")
      difference |= value << (8 * byte)
    }
    at += 1
    plain.addNumber(predictor.value(row, difference >>> 0), width)
  }
}

const orderIn = (reader: ByteReader): Order => {
  const order = reader.u8()
  return Orders.find((known) => known === order) ?? reader.fail(`a difference of order ${order}`)
}

const readGroup = (
  groups: ByteReader,
  columns: ReadonlyMap<number, WriteValue>,
  plain: Plain
): void => {
  plain.addSkeleton(groups.varuint())
  const count = groups.varuint()
  // Every value that a group has costs a byte somewhere, so that a short group cannot stand for a long work.
  if (count === 0 || count > groups.remaining) groups.fail(`a group of ${count} fields`)
  const writes = Array.from({ length: count }, () => {
    const column = groups.varuint()
    return columns.get(column) ?? groups.fail(`no field ${column}`)
  })
  const runs = groups.varuint()
  for (let run = 0; run < runs; run += 1) {
    const first = groups.varuint()
    const last = first + groups.varuint()
    for (let row = first; row < last; row += 1) for (const write of writes) write(plain, row)
  }
}

/** The plain chunk, as far as it is written. */
class Plain {
  readonly #bytes: Uint8Array
  readonly #skeleton: ByteReader
  #at = 0

  constructor(length: number, skeleton: Uint8Array) {
    this.#bytes = new Uint8Array(length)
    this.#skeleton = new ByteReader(skeleton)
  }

  addSkeleton(count: number): void {
    this.add(this.#skeleton.peek(count))
  }

  add(bytes: Uint8Array): void {
    if (bytes.length > this.#bytes.length - this.#at) this.#tooLong()
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  addNumber(value: number, width: number): void {
    if (width > this.#bytes.length - this.#at) this.#tooLong()
    for (let byte = 0; byte < width; byte += 1) this.#bytes[this.#at + byte] = value >>> (8 * byte)
    this.#at += width
  }

  finish(): Uint8Array {
    this.addSkeleton(this.#skeleton.remaining)
    if (this.#at < this.#bytes.length) this.#skeleton.fail("a chunk is shorter than it says")
    return this.#bytes
  }

  #tooLong(): void {
    this.#skeleton.fail(`a chunk is longer than the ${this.#bytes.length} bytes that it says`)
  }
}
