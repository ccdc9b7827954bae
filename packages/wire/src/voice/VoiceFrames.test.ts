import fc from "fast-check"
import { expect, test } from "vitest"

import { packValue } from "../msgpack/MsgpackWriter.ts"
import {
  packVoiceAsk,
  packVoiceTold,
  readVoiceAsk,
  readVoiceTold,
  type VoiceAsk,
  type VoiceTold
} from "./VoiceFrames.ts"

test.each<VoiceAsk>([
  { _tag: "join", offer: "v=0" },
  { _tag: "answer", answer: "v=0" },
  { _tag: "leave" }
])("[D-59] a client's $_tag is read as it was written", (ask) => {
  expect(readVoiceAsk(packVoiceAsk(ask))).toEqual(ask)
})

test.each<VoiceTold>([
  { _tag: "joined", answer: "v=0" },
  { _tag: "offer", offer: "v=0" },
  { _tag: "slots", speakers: ["s1", null, null] },
  { _tag: "call", participants: ["s1", "s2"] },
  { _tag: "refused", code: "E_VOICE_FULL", message: "voice: the call is full" },
  { _tag: "ended" }
])("[D-59] a call's $_tag is read as it was written", (told) => {
  expect(readVoiceTold(packVoiceTold(told))).toEqual(told)
})

test.each<ReadonlyArray<unknown>>([
  [11, "join"],
  [11, "join", 7],
  [11, "answer"],
  [11, "sing", "v=0"],
  [11, 1, "v=0"],
  [11]
])("[D-59] the frame [%s, %s, …] of a client is none", (...frame) => {
  expect(readVoiceAsk(packValue(frame))).toBe(null)
})

test.each<ReadonlyArray<unknown>>([
  [28, "joined"],
  [28, "offer", 7],
  [28, "slots", [1]],
  [28, "call", [null]],
  [28, "refused", "E_VOICE_OFF"],
  [28, "later", "v=0"]
])("[D-59] a frame [%s, %s, …] that the client does not know is passed over", (...frame) => {
  expect(readVoiceTold(packValue(frame))).toBe(null)
})

test("[D-59] whatever the bytes are, nothing is thrown", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      readVoiceAsk(bytes)
      readVoiceTold(bytes)
    })
  )
})
