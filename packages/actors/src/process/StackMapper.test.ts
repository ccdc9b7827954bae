import { describe, expect, test } from "vitest"

import { StackMapper } from "./StackMapper.ts"

const bundle = (map: string): Uint8Array =>
  new TextEncoder().encode(`run()\n//# sourceMappingURL=data:application/json;base64,${map}\n`)
const base64 = (text: string): string => Buffer.from(text).toString("base64")
// Line 1, column 1 of the bundle is line 7, column 19 of room.ts.
const map = base64(
  JSON.stringify({ version: 3, sources: ["../room.ts"], names: [], mappings: "AAMkB" })
)
const stack =
  "Error: no\n    at run (room.bundle.js:1:1)\n    at listOnTimeout (node:internal/timers:5:1)"

describe("stacks of room code", () => {
  test("[D-14] name the source, and leave out what is not the developer's", () => {
    expect(new StackMapper(bundle(map)).map(stack)).toBe("Error: no\n    at run (room.ts:7:19)")
  })

  test("[D-14] the code goes to the process without its map", () => {
    expect(new TextDecoder().decode(new StackMapper(bundle(map)).code)).toBe("run()\n")
    const plain = new TextEncoder().encode("run()")
    expect(new StackMapper(plain).code).toEqual(plain)
  })

  test.each([
    ["no map", new TextEncoder().encode("run()")],
    ["a map that is no JSON", bundle(base64("{"))],
    ["a map that is no map", bundle(base64("7"))],
    ["a map of nonsense", bundle(base64('{"version":3,"sources":[7],"mappings":"\\u0000!"}'))],
    ["a map that is no base64", bundle("%%%")]
  ])("[D-14] never fails: %s", (_, bytes) => {
    expect(new StackMapper(bytes).map(stack)).toContain("Error: no")
  })

  test("[D-14] text without places stays as it is", () => {
    expect(new StackMapper(bundle(map)).map("node: hello")).toBe("node: hello")
  })
})
