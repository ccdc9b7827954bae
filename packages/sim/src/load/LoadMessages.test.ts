import { defineSchema, s } from "@atrium/sdk/schema"
import { packRecord } from "@atrium/wire/codec/RecordCodec"
import { Result } from "effect"
import { expect, test } from "vitest"

import { seededRandom } from "./LoadChance.ts"
import { loadMessages } from "./LoadMessages.ts"

const game = defineSchema({
  type: "game",
  entities: { things: { x: s.f32() } },
  messages: {
    steer: { dx: s.f32(), dy: s.f32() },
    say: { text: s.string(200), loud: s.bool() },
    all: {
      bool: s.bool(),
      i8: s.i8(),
      u8: s.u8(),
      i16: s.i16(),
      u32: s.u32(),
      f64: s.f64(),
      step: s.quantised({ min: -1, max: 1, step: 0.01 }),
      text: s.string(4),
      bytes: s.bytes(4),
      choice: s.enum("a", "b"),
      other: s.ref("things"),
      list: s.list(s.string(1), 9)
    },
    any: s.untyped()
  }
})
const made = (message: string | undefined, bytes: number) => {
  const messages = Result.getOrThrow(
    loadMessages(game, message === undefined ? { bytes } : { message, bytes })
  )
  if (messages === null) throw new Error("no message")
  return messages
}

test("[sim.load.messages] the first one is sent unless another is named, at its own size", () => {
  expect(made(undefined, 100)).toMatchObject({ name: "steer", frameBytes: 5 + 8 })
  expect(made("any", 100)).toMatchObject({ name: "any", frameBytes: 100 })
})

test("[sim.load.messages] texts make up for the size that the scenario gives", () => {
  expect(made("say", 100).frameBytes).toBe(100)
  expect(made("say", 3).frameBytes).toBeLessThan(9)
})

test("[sim.load.messages] every value is one that its field takes, and another each time", () => {
  const { fields } = game.messages.byName.get("all") ?? {}
  const [random, all] = [seededRandom(1), made("all", 64)]
  const packed = Array.from({ length: 100 }, () => {
    const record = all.make(random)
    return Buffer.from(packRecord(fields ?? [], record, "all")).toString("hex")
  })
  expect(new Set(packed).size).toBeGreaterThan(95)
})

test("[sim.load.messages] a name that the schema does not have is refused with those that it has", () => {
  expect(loadMessages(game, { message: "stear", bytes: 1 })).toEqual(
    Result.fail("game.up.message: game declares no message stear; it has: steer, say, all, any")
  )
  const none = defineSchema({ type: "none" })
  expect(loadMessages(none, { bytes: 1 })).toEqual(Result.succeed(null))
})
