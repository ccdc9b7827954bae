import { TextLimits } from "@atrium/wire/text/TextLimits"
import { expect, test } from "vitest"

import { LineReader } from "./LineReader.ts"

const linesOf = (...chunks: ReadonlyArray<Buffer>): ReadonlyArray<string> => {
  const lines: string[] = []
  const reader = new LineReader((line) => lines.push(line))
  for (const chunk of chunks) reader.read(chunk)
  reader.end()
  return lines
}

test("[limits.log.line] lines are put together, also out of cut characters", () => {
  const euro = Buffer.from("€")
  expect(
    linesOf(Buffer.from("a\nb"), euro.subarray(0, 1), euro.subarray(1), Buffer.from("\n\nc"))
  ).toEqual(["a", "b€", "c"])
})

test("[limits.log.line] a line keeps its limit however much comes", () => {
  const max = TextLimits.logLineUnits.max
  const chunk = Buffer.from("x".repeat(max))
  expect(linesOf(chunk).map(({ length }) => length)).toEqual([max])
  expect(linesOf(chunk, chunk, Buffer.from("\ny")).map(({ length }) => length)).toEqual([max, 1])
})
