import { defineSchema, describe as describeSchema, s } from "@atrium/sdk/schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { frameName } from "./FrameName.ts"

const schema = describeSchema(
  defineSchema({
    type: "arena",
    messages: { shot: { x: s.u8() }, hit: { x: s.u8() } },
    rpc: { client: { join: {}, leave: {} }, server: { ask: {} } }
  })
)
const named = (bytes: ReadonlyArray<number>, isSent = true): string =>
  frameName(Uint8Array.from(bytes), isSent, schema)

describe("the name of a frame", () => {
  it.each([
    [[0x96, 1, 0xa1, 0x78], true, "hello"],
    [[0x93, 2, 0, 0xc4, 0], true, `msg ${schema.messages[0]?.name}`],
    [[0x94, 3, 0xcd, 0x01, 0x00, 1, 0xc4, 0], true, `rpc ${schema.rpc.client[1]?.name}`],
    [[0x94, 3, 5, 0xcc, 0xff, 0xc4, 0], true, "rpc ?"],
    [[0x93, 17, 4, 0xc4, 0], false, "patch"],
    [[0x94, 23, 1, 0, 0xc4, 0], false, "rpc ask"],
    [[0x91, 99], false, "frame 99"],
    [[], false, "frame 0"]
  ] as const)("[C-806] %j, sent: %j, is %s", (bytes, isSent, name) => {
    expect(named(bytes, isSent)).toBe(name)
  })

  it("[C-806] names every sequence of bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.boolean(), (bytes, isSent) => {
        expect(frameName(bytes, isSent, schema)).not.toBe("")
      })
    )
  })
})
