import { MsgpackError } from "@atrium/wire/msgpack/MsgpackReader"
import fc from "fast-check"
import { Packr } from "msgpackr"
import { expect, test } from "vitest"

import { decodeFrame, encodeFrame, WireError } from "./ClientWire.ts"

// Not the client's own msgpack: frames are read and written by two that know nothing of each other.
const msgpack = new Packr({ useRecords: false, int64AsType: "number" })
const decode = (frame: ReadonlyArray<unknown>) => decodeFrame(new Uint8Array(msgpack.pack(frame)))
const bytes = new Uint8Array([1, 2])

test.each([
  [
    [16, "c1", "arena", 3, 7, bytes, true, "r", { format: 1 }, "pl_1", true],
    {
      _tag: "welcome",
      clientId: "c1",
      roomId: "arena",
      version: 3,
      tick: 7,
      state: bytes,
      audience: true,
      resume: "r",
      schema: { format: 1 },
      playerId: "pl_1",
      relay: true,
      staleMs: null
    }
  ],
  [
    [16, "c1", "arena", 3, 7, bytes, false, "r", null, "pl_1", false, 250],
    {
      _tag: "welcome",
      clientId: "c1",
      roomId: "arena",
      version: 3,
      tick: 7,
      state: bytes,
      audience: false,
      resume: "r",
      schema: null,
      playerId: "pl_1",
      relay: false,
      staleMs: 250
    }
  ],
  [[17, 8, bytes], { _tag: "patch", tick: 8, delta: bytes }],
  [[18, 0, bytes], { _tag: "msg", index: 0, payload: bytes }],
  [[18, 0], { _tag: "msg", index: 0, payload: null }],
  [[19, 4, true, bytes], { _tag: "rpcResult", id: 4, ok: true, value: bytes }],
  [[19, 4, false, ["E_X", "no"]], { _tag: "rpcResult", id: 4, ok: false, value: ["E_X", "no"] }],
  [[20, "c1", "hi"], { _tag: "chat", from: "c1", text: "hi" }],
  [[21, "E_X", "no", 5], { _tag: "error", code: "E_X", message: "no", re: 5 }],
  [[21, "E_X", "no"], { _tag: "error", code: "E_X", message: "no", re: null }],
  [[22, "echo"], { _tag: "pong", echo: "echo" }],
  [[23, 9, 1, bytes], { _tag: "rpc", id: 9, index: 1, args: bytes }],
  [[24, 2, [7, 8]], { _tag: "ack", id: 2, keys: [7, 8] }],
  [[25, "notes", 7, true], { _tag: "ownResult", collection: "notes", key: 7, granted: true }],
  [
    [26, 3, "notes", 7, "c1"],
    { _tag: "ownAsk", request: 3, collection: "notes", key: 7, from: "c1" }
  ],
  [[27, "c1", { x: 1 }], { _tag: "sent", from: "c1", data: { x: 1 } }],
  [[27, "c1"], { _tag: "sent", from: "c1", data: null }],
  [[99, "later"], { _tag: "unknown" }],
  [[], { _tag: "unknown" }]
])("[D-24] reads %j", (frame, message) => {
  expect(decode(frame)).toEqual(message)
})

test.each([
  [[16, "c1", "arena", 3, 7, "state", true, "r", null, "pl_1"], "field 5 is not binary"],
  [[16, "c1", "arena", 3, 7, bytes, 1, "r", null, "pl_1"], "field 6 is not a boolean"],
  [[17, -1, bytes], "field 1 is not a whole number"],
  [[17, 1.5, bytes], "field 1 is not a whole number"],
  [[18], "field 1 is not a whole number"],
  [[20, 1, "hi"], "field 1 is not a string"],
  [[24, 1, ["7"]], "field 2 is not a list of whole numbers"],
  [[25, "notes", 7, 1], "field 3 is not a boolean"]
])("[D-24] refuses %j", (frame, text) => {
  expect(() => decode(frame)).toThrow(text)
})

test("[D-24] hostile bytes are refused, never anything else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (hostile) => {
      try {
        decodeFrame(hostile)
      } catch (error) {
        expect(error instanceof WireError || error instanceof MsgpackError).toBe(true)
      }
    })
  )
})

test("[D-24] any msgpack reads the client's frames", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // msgpackr reads the key __proto__ into nothing.
      fc.pre(!JSON.stringify(value).includes("__proto__"))
      const read: unknown = msgpack.unpack(Buffer.from(encodeFrame([2, 0, value])))
      expect(read).toEqual([2, 0, value])
    })
  )
})
