import { defineSchema, s } from "@atrium/sdk/schema"

/** A room that says what its clients want, wherever a room can say something. */
export const graffiti = defineSchema({
  type: "graffiti",
  queue: "default",
  hibernateAfterMs: 100,
  reconnectForMs: 0,
  replay: { seconds: 30 },
  singletons: {
    wall: {
      text: s.string(2000),
      tags: s.map(s.string(200), s.string(200)),
      sprayed: s.u32(),
      scroll: s.string(65_536),
      notes: s.map(s.string(8), s.string(60), 10_000)
    }
  },
  entities: { marks: { by: s.string(400), x: s.f32(), y: s.f32() } },
  messages: { sprayed: { text: s.string(2000) } },
  rpc: {
    client: {
      spray: { args: { text: s.string(2000) } },
      fill: { args: { marks: s.u16() } },
      unroll: { args: { text: s.string(200), times: s.u16(), notes: s.u16() } },
      crash: { args: { text: s.string(200) } }
    }
  }
})
