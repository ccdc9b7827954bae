import { defineSchema, s } from "@atrium/sdk/schema"

/** What a room can be told to do to the machine. `docs/isolation.md` says what becomes of it. */
export const HogNames = [
  "arrayFill",
  "mapGrowth",
  "jsonParse",
  "split",
  "typedArray",
  "typedArrays",
  "untouchedArrays",
  "wasmOne",
  "wasmMany",
  "wasmBand",
  "intl",
  "promises",
  "timers",
  "fds",
  "loop",
  "sort",
  "regex",
  "bigEval",
  "stringGrowth",
  "frames",
  "bytes",
  "logs",
  "slowLines",
  "stacks",
  "saves",
  "alarms",
  "lobby",
  "players",
  "hold",
  "crash",
  "lie",
  "unfinished"
] as const

export type HogName = (typeof HogNames)[number]

/** A room of the standard class that does what it is told. */
export const hog = defineSchema({
  type: "hog",
  hibernateAfterMs: 300,
  reconnectForMs: 0,
  singletons: { counter: { value: s.u32(), creations: s.u32() } },
  messages: {
    run: { what: s.enum(...HogNames) },
    blob: s.untyped(),
    done: { what: s.string(200) }
  },
  rpc: {
    client: { count: { args: { by: s.u32() }, returns: { value: s.u32() }, durable: true } }
  },
  player: { total: s.u32() }
})

/** A room that has the memory for a state which nobody can store. */
export const giant = defineSchema({
  type: "giant",
  class: "xlarge",
  hibernateAfterMs: 300,
  reconnectForMs: 0,
  singletons: { counter: { value: s.u32(), creations: s.u32() } },
  rpc: {
    client: {
      count: { args: { by: s.u32() }, returns: { value: s.u32() }, durable: true },
      grow: { args: { blobs: s.u32() }, returns: { blobs: s.u32() } }
    }
  }
})

/** A room whose start never ends. */
export const stuckStart = defineSchema({
  type: "stuck-start",
  singletons: { one: { a: s.bool() } }
})

/** A neighbour that keeps time: it tells how late its ticks were, by its own clock. */
export const metronome = defineSchema({
  type: "metronome",
  tickHz: 60,
  hibernateAfterMs: 300,
  reconnectForMs: 0,
  singletons: { beat: { tick: s.u32() } },
  rpc: {
    client: {
      /** Lateness of each tick since the last call, in hundredths of a millisecond. */
      lateness: { returns: { late: s.list(s.u32(), 20_000) } }
    }
  }
})
