import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { expect, test } from "vitest"

import { splitBundle } from "./BundleMap.ts"

const comment = "//# sourceMappingURL=data:application/json;base64,"
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const split = (text: string) => {
  const { code, map } = splitBundle(bytesOf(text))
  return [Buffer.from(code).toString(), map && Buffer.from(map).toString()]
}

test.each([
  ["a map", `run()\n${comment}AAAA\n`, ["run()\n", "AAAA"]],
  ["a map at the very end", `run()\n${comment}AAAA`, ["run()\n", "AAAA"]],
  ["nothing but a map", `${comment}AAAA`, ["", "AAAA"]],
  ["a charset", `run()\n${comment.replace(";", ";charset=utf-8;")}AA==\n`, ["run()\n", "AA=="]],
  ["no map", "run()\n", ["run()\n", null]],
  ["nothing", "", ["", null]],
  ["an empty line", "\n", ["\n", null]],
  ["a map elsewhere", "run()\n//# sourceMappingURL=room.js.map\n", ["run()\n", null]],
  ["a map in a string", `run("${comment}AAAA")\n`, [`run("${comment}AAAA")\n`, null]],
  ["a comment with code behind it", `${comment}AAAA\nrun()\n`, [`${comment}AAAA\nrun()\n`, null]]
])("[D-14] a bundle is cut before its source map: %s", (_, text, parts) => {
  expect(split(text)).toEqual(parts)
})

test("[C-171] a source map of 8 MiB is read, one of a byte more is not", () => {
  const { max } = LogLimits.sourceMapBytes
  for (const [bytes, isRead] of [
    [max, true],
    [max + 1, false]
  ] as const) {
    const base64 = Buffer.alloc(bytes).toString("base64")
    const { code, map } = splitBundle(bytesOf(`run()\n${comment}${base64}\n`))
    expect([code.length, map?.length]).toEqual([6, isRead ? base64.length : undefined])
  }
})
