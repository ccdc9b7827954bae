import { defineSchema, s } from "@atrium/sdk/schema"

/** A room type that records itself. */
export const recorded = defineSchema({
  type: "recorded",
  hibernateAfterMs: 300,
  reconnectForMs: 0,
  replay: { seconds: 30 },
  singletons: { board: { moves: s.u32(), shown: s.string(64) } },
  messages: { open: { text: s.string(64) }, whisper: { text: s.string(64) } },
  rpc: {
    client: {
      /** Shows a text to everybody: in the state, and by a message. */
      show: { args: { text: s.string(64) }, returns: { moves: s.u32() } },
      /** Tells a text to the caller alone, by a message and by the answer. */
      tell: { args: { text: s.string(64) }, returns: { text: s.string(64) } },
      clip: { returns: s.untyped() },
      /** Asks for so many clips in one moment. */
      flood: { args: { count: s.u16() }, returns: { made: s.u16(), cooled: s.u16() } }
    }
  }
})
