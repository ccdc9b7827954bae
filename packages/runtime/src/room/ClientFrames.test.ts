import { ClientFrame } from "@atrium/wire/frames/Frame"
import { DepthMax, MsgpackError } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { describe, expect, test } from "vitest"

import { readRoomFrame } from "./ClientFrames.ts"

const frame = (...bytes: ReadonlyArray<number>): Uint8Array => Uint8Array.from(bytes)

describe("the bounds of a client's frame", () => {
  test("[D-24] 64 levels with the frame itself are read, one more is refused", () => {
    const nested = (levels: number): Uint8Array =>
      frame(0x93, ClientFrame.msg, 0, ...Array.from({ length: levels }, () => 0x91), 0xc0)
    expect(readRoomFrame(nested(DepthMax - 1))).toMatchObject({ _tag: "msg", index: 0 })
    expect(() => readRoomFrame(nested(DepthMax))).toThrow("nested too deeply")
  })

  test("[D-24] 16 fields are read, of which those past the known are ignored; one more is refused", () => {
    const of = (fields: number): Uint8Array =>
      packValue([ClientFrame.msg, 3, ...Array.from({ length: fields - 2 }, () => null)])
    expect(readRoomFrame(of(16))).toEqual({ _tag: "msg", index: 3, payload: null })
    expect(() => readRoomFrame(of(17))).toThrow("a frame of 17 fields")
  })

  test("[D-24] a number is a u32, and nothing beyond it", () => {
    const of = (index: number): Uint8Array => packValue([ClientFrame.msg, index])
    expect(readRoomFrame(of(0xffff_ffff))).toMatchObject({ index: 0xffff_ffff })
    for (const index of [0x1_0000_0000, -1, 0.5]) {
      expect(() => readRoomFrame(of(index))).toThrow(MsgpackError)
    }
  })

  test("[D-24] tells relay frames apart, with the id of a write for its answer", () => {
    expect(readRoomFrame(packValue([ClientFrame.write, 7, []]))).toEqual({ _tag: "relay", re: 7 })
    for (const type of [ClientFrame.own, ClientFrame.ownAnswer, ClientFrame.send]) {
      expect(readRoomFrame(packValue([type, "any", 7]))).toEqual({ _tag: "relay", re: null })
    }
    expect(() => readRoomFrame(packValue([ClientFrame.write, "7", []]))).toThrow(MsgpackError)
  })

  test.each<[string, Uint8Array]>([
    ["an array of 4 billion", frame(0xdd, 0xff, 0xff, 0xff, 0xff)],
    ["a text of 4 billion bytes", frame(0x93, 2, 0, 0xdb, 0xff, 0xff, 0xff, 0xff)],
    ["a bin of 4 billion bytes", frame(0x93, 2, 0, 0xc6, 0xff, 0xff, 0xff, 0xff)],
    ["a map of 4 billion keys", frame(0x93, 2, 0, 0xdf, 0xff, 0xff, 0xff, 0xff)],
    ["nothing", frame()],
    ["an empty array", frame(0x90)],
    ["a type of the service", packValue([16])],
    ["bytes after its end", frame(0x92, 2, 0, 0)]
  ])(
    "[D-24] a frame that is malformed, or announces more than it holds, is refused: %s",
    (_, bytes) => {
      expect(() => readRoomFrame(bytes)).toThrow(MsgpackError)
    }
  )
})
