import { ByteWriter } from "../codec/ByteWriter.ts"
import type { AnyRoomSchema } from "../schema/RoomSchema.ts"
import { ChunkVersion } from "./ChunkLayout.ts"
import { ChunkReader } from "./ChunkReader.ts"
import { type Order, Orders, Predictor } from "./Predictor.ts"
import { ReplayLimits } from "./ReplayLimits.ts"
import { ValueLog, type ValuePlace } from "./ValueLog.ts"

/** A chunk to be stored, and what is known of it. */
export interface PackedChunk {
  readonly bytes: Uint8Array
  readonly fromMs: number
  readonly toMs: number
  readonly fromTick: number
  readonly toTick: number
}

/**
 * Puts the values of each field beside each other, each as its difference from what was foretold: compressed they take
 * a third. Reads all of the chunk with the codec, so that what is stored can be shown. Errors: `CodecError`.
 *
 * @param chunk plain
 */
export const packChunk = (schema: AnyRoomSchema, chunk: Uint8Array): PackedChunk => {
  const reader = new ChunkReader(chunk)
  const { keyframe } = reader
  const log = new ValueLog(schema)
  log.view.applyFull(keyframe.state)
  let parts: ChunkParts | null = new ChunkParts(chunk)
  let end = { atMs: keyframe.atMs, tick: keyframe.tick }
  for (let entry = reader.next(); entry !== null; entry = reader.next()) {
    if (entry.kind === "patch") {
      const values = log.read(entry.bytes)
      if (values === null) parts = null
      else parts?.add(values, entry.bytes.byteOffset - chunk.byteOffset)
    }
    end = entry
  }
  // The groups make it longer until it is compressed.
  const packed = parts?.finish() ?? chunk
  return {
    bytes: packed.length <= ReplayLimits.replayChunkBytes.max ? packed : chunk,
    fromMs: keyframe.atMs,
    toMs: end.atMs,
    fromTick: keyframe.tick,
    toTick: end.tick
  }
}

/** The values of one field in their order. */
interface Values {
  readonly rows: Array<number>
  readonly places: Array<number>
  readonly lengths: Array<number>
}

/** Values that follow each other without a gap, the same fields for entity after entity. */
interface Group {
  readonly gap: number
  readonly columns: ReadonlyArray<number>
  readonly rows: Array<number>
}

class ChunkParts {
  readonly #chunk: Uint8Array
  readonly #skeleton = new ByteWriter()
  readonly #groups = new ByteWriter()
  readonly #columns = new Map<number, Values>()
  /** Bytes of the chunk that are in a part. */
  #done = 0
  #groupCount = 0

  constructor(chunk: Uint8Array) {
    this.#chunk = chunk
  }

  /** @param start where the delta of these values begins in the chunk */
  add(values: ReadonlyArray<ValuePlace>, start: number): void {
    for (let at = 0; at < values.length;) {
      const pattern = patternAt(values, at)
      const first = start + (values[at]?.from ?? 0)
      const group: Group = { gap: first - this.#done, columns: pattern, rows: [] }
      this.#skeleton.raw(this.#chunk.subarray(this.#done, first))
      const before = at
      while (at < values.length && follows(values, { at, before, pattern })) {
        group.rows.push(values[at]?.row ?? 0)
        at += pattern.length
      }
      for (const value of values.slice(before, at)) this.#addValue(value, start)
      this.#writeGroup(group)
    }
  }

  finish(): Uint8Array {
    this.#skeleton.raw(this.#chunk.subarray(this.#done))
    const writer = new ByteWriter()
    writer.u8(ChunkVersion.packed)
    writer.varuint(this.#chunk.length)
    writer.bytes(this.#skeleton.finish())
    writer.varuint(this.#groupCount)
    writer.bytes(this.#groups.finish())
    const columns = [...this.#columns].sort(([one], [other]) => one - other)
    writer.varuint(columns.length)
    let before = -1
    for (const [column, values] of columns) {
      writer.varuint(column - before - 1)
      before = column
      writeColumn(writer, this.#chunk, values)
    }
    return writer.finish()
  }

  #addValue({ column, row, from, to }: ValuePlace, start: number): void {
    const values = this.#columns.get(column) ?? { rows: [], places: [], lengths: [] }
    this.#columns.set(column, values)
    values.rows.push(row)
    values.places.push(start + from)
    values.lengths.push(to - from)
    this.#done = start + to
  }

  #writeGroup({ gap, columns, rows }: Group): void {
    const writer = this.#groups
    this.#groupCount++
    writer.varuint(gap)
    writer.varuint(columns.length)
    for (const column of columns) writer.varuint(column)
    const runs = runsOf(rows)
    writer.varuint(runs.length)
    for (const { first, length } of runs) {
      writer.varuint(first)
      writer.varuint(length)
    }
  }
}

/** The fields of the entity at a place, as far as they follow each other without a gap. */
const patternAt = (values: ReadonlyArray<ValuePlace>, at: number): ReadonlyArray<number> => {
  const first = values[at]
  const columns: Array<number> = []
  for (let place = at; place < values.length; place += 1) {
    const value = values[place]
    if (value?.row !== first?.row) break
    if (place > at && value?.from !== values[place - 1]?.to) break
    if (columns.includes(value?.column ?? 0)) break
    columns.push(value?.column ?? 0)
  }
  return columns
}

interface Following {
  readonly at: number
  /** Where the group began. */
  readonly before: number
  readonly pattern: ReadonlyArray<number>
}

/** Whether the values at a place are those of the next entity of a group. */
const follows = (
  values: ReadonlyArray<ValuePlace>,
  { at, before, pattern }: Following
): boolean => {
  const row = values[at]?.row
  return pattern.every((column, index) => {
    const value = values[at + index]
    if (value === undefined || value.column !== column || value.row !== row) return false
    return at + index === before || value.from === values[at + index - 1]?.to
  })
}

const runsOf = (
  rows: ReadonlyArray<number>
): ReadonlyArray<{ readonly first: number; readonly length: number }> => {
  const runs: Array<{ readonly first: number; length: number }> = []
  for (const row of rows) {
    const last = runs.at(-1)
    if (last !== undefined && last.first + last.length === row) last.length += 1
    else runs.push({ first: row, length: 1 })
  }
  return runs
}

const writeColumn = (writer: ByteWriter, chunk: Uint8Array, values: Values): void => {
  const width = widthOf(values.lengths)
  writer.u8(width)
  if (width > 0) return writeNumbers(writer, chunk, { ...values, width })
  const [lengths, content] = [new ByteWriter(), new ByteWriter()]
  for (const [index, length] of values.lengths.entries()) {
    const from = values.places[index] ?? 0
    lengths.varuint(length)
    content.raw(chunk.subarray(from, from + length))
  }
  writer.bytes(lengths.finish())
  writer.bytes(content.finish())
}

/** The width of all values; 0 = they differ, or are no numbers. */
const widthOf = (lengths: ReadonlyArray<number>): number => {
  const [first = 0] = lengths
  const isNumber = first === 1 || first === 2 || first === 4 || first === 8
  return isNumber && lengths.every((length) => length === first) ? first : 0
}

interface Numbers extends Values {
  readonly width: number
}

/** A value of eight bytes is two numbers, each with differences of its own. */
const writeNumbers = (writer: ByteWriter, chunk: Uint8Array, values: Numbers): void => {
  const laneWidth = Math.min(4, values.width)
  for (let lane = 0; lane < values.width; lane += laneWidth) {
    const numbers = values.places.map((place) => numberAt(chunk, place + lane, laneWidth))
    const candidates = Orders.map((order) => differencesOf(values.rows, numbers, laneWidth, order))
    const best = candidates.reduce((least, each) => (each.bits < least.bits ? each : least))
    writer.u8(best.order)
    for (let byte = 0; byte < laneWidth; byte += 1) {
      writer.bytes(Uint8Array.from(best.differences, (difference) => difference >>> (8 * byte)))
    }
  }
}

const numberAt = (chunk: Uint8Array, at: number, width: number): number => {
  let value = 0
  for (let byte = 0; byte < width; byte += 1) value |= (chunk[at + byte] ?? 0) << (8 * byte)
  return value >>> 0
}

interface Differences {
  readonly order: Order
  readonly differences: ReadonlyArray<number>
  /** A guess of what they take, compressed. */
  readonly bits: number
}

// oxlint-disable-next-line max-params -- two columns of one table, and how they are written.
const differencesOf = (
  rows: ReadonlyArray<number>,
  numbers: ReadonlyArray<number>,
  width: number,
  order: Order
): Differences => {
  const predictor = new Predictor(width, order)
  let bits = 0
  const differences = numbers.map((value, index) => {
    const difference = predictor.difference(rows[index] ?? 0, value)
    bits += 32 - Math.clz32(difference)
    return difference
  })
  return { order, differences, bits }
}
