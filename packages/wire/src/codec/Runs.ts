import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { EntityIdMax } from "./Table.ts"

/** Consecutive ids, from `first` to `last`. */
export interface Run {
  readonly first: number
  readonly last: number
}

/** Writes ascending ids: the count of runs, then for each the gap before it and its length. */
export const writeRuns = (
  writer: ByteWriter,
  ids: ReadonlyArray<number>,
  runLengthMax: number
): void => {
  writer.varuint(walkRuns(ids, runLengthMax, null))
  walkRuns(ids, runLengthMax, writer)
}

/** Visits the runs twice rather than keep them: counted first, then written. */
const walkRuns = (
  ids: ReadonlyArray<number>,
  runLengthMax: number,
  writer: ByteWriter | null
): number => {
  let runs = 0
  let before = 0
  for (let at = 0; at < ids.length;) {
    const first = ids[at] ?? 0
    let length = 1
    while (length < runLengthMax && ids[at + length] === first + length) length += 1
    if (writer !== null) {
      writer.varuint(first - before - 1)
      writer.varuint(length)
    }
    runs += 1
    before = first + length - 1
    at += length
  }
  return runs
}

/** Reads runs. Throws `CodecError`: every one has an id, and ids ascend and fit 32 bits. */
export const readRuns = (reader: ByteReader): ReadonlyArray<Run> => {
  const count = reader.varuint()
  // A run takes two bytes at least.
  if (2 * count > reader.remaining) reader.fail(`${count} runs in ${reader.remaining} bytes`)
  const runs: Array<Run> = []
  let before = 0
  for (let index = 0; index < count; index += 1) {
    const first = before + 1 + reader.varuint()
    const length = reader.varuint()
    const last = first + length - 1
    if (length === 0) reader.fail("a run without an id")
    if (last > EntityIdMax) reader.fail(`an id over ${EntityIdMax}`)
    runs.push({ first, last })
    before = last
  }
  return runs
}
