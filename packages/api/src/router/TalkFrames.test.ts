import type { ClientGate } from "@atrium/actors/rooms/ClientGate"
import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { packVoiceAsk, readVoiceTold } from "@atrium/wire/voice/VoiceFrames"
import { expect, test } from "vitest"

import { TalkFrames } from "./TalkFrames.ts"

const { burst, tokens, everyMs } = VoiceMediaLimits.voiceFrames
const leave = Buffer.from(packVoiceAsk({ _tag: "leave" }))

const talking = () => {
  let nowMs = 0
  let passed = 0
  let counted = 0
  const told: Array<unknown> = []
  const frames = new TalkFrames({
    nowMs: () => nowMs,
    tell: (code) => void told.push(code),
    put: (frame) => void told.push(readVoiceTold(frame)),
    bad: (message) => void told.push(message)
  })
  // Of a gate only what a voice frame uses is there.
  const gate = {
    voice: () => void passed++,
    received: () => void counted++
  } as unknown as ClientGate
  return {
    say: (data: Buffer, times: number) => {
      for (let at = 0; at < times; at++) frames.voice(data, gate, 1)
    },
    pass: (ms: number) => void (nowMs += ms),
    seen: () => ({ passed, counted, told })
  }
}

test("[limits.voiceFrames] so many voice frames pass at once, and one more is refused by a frame", () => {
  const { say, seen, pass } = talking()
  say(leave, burst)
  expect(seen()).toEqual({ passed: burst, counted: 0, told: [] })
  say(leave, 1)
  const refused = expect.objectContaining({ _tag: "refused", code: "E_RATE_LIMITED" })
  expect(seen()).toEqual({ passed: burst, counted: 1, told: [refused] })
  pass(everyMs)
  say(leave, tokens)
  expect(seen()).toMatchObject({ passed: burst + tokens, told: [refused] })
})

test("[D-59] a voice frame that asks nothing is no frame of the protocol", () => {
  const { say, seen } = talking()
  say(Buffer.from([0x91, 11]), 1)
  expect(seen()).toEqual({ passed: 0, counted: 0, told: ["a voice frame that asks nothing"] })
})
