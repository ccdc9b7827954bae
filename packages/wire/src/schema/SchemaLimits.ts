import { KiB, SecondMs, MinuteMs, DayMs, count, range, size, span } from "../limits/Limit.ts"

/** The limits of a schema. */
export const SchemaLimits = {
  // Schema limits (spec: Schema limits). Past them the definition throws at build time.
  schemaFields: count("Fields per entity or singleton", {
    max: 255,
    per: "entity or singleton",
    past: "definition throws"
  }),
  schemaMessages: count("Message shapes under messages", {
    max: 256,
    per: "schema",
    past: "definition throws"
  }),
  schemaRpcs: count("RPCs under rpc, both directions together", {
    max: 60_000,
    per: "schema",
    past: "definition throws"
  }),
  playerFieldsBytes: size("Persisted player fields", {
    max: 4 * KiB,
    per: "player",
    past: "definition throws"
  }),
  schemaCollections: count("Entities and singletons in one schema", {
    max: 255,
    per: "schema",
    past: "definition throws"
  }),
  schemaNameChars: count("Characters of a type, field, message or RPC name", {
    max: 64,
    per: "name",
    past: "definition throws"
  }),
  listElements: count("Elements of a list field", {
    max: 65_535,
    per: "field",
    past: "definition throws"
  }),
  mapEntries: count("Entries of a map field", {
    max: 65_535,
    per: "field",
    past: "definition throws"
  }),
  mapEntriesDefault: count("Entries of a map field that names no number", {
    max: 256,
    per: "field",
    past: "FieldError"
  }),
  nestedKinds: count("Structs, maps and lists in one another", {
    max: 4,
    per: "field",
    past: "definition throws"
  }),
  nestedBytes: size("Encoded size that a field with a struct, a map or an optional can have", {
    max: 1024 * KiB,
    per: "field",
    past: "definition throws"
  }),
  stringBytes: size("Bytes of a string or bytes field", {
    max: 64 * KiB,
    per: "field",
    past: "definition throws"
  }),
  enumChoices: count("Choices of an enum field", {
    max: 256,
    per: "field",
    past: "definition throws"
  }),
  tickHz: count("Ticks per second", { max: 60, per: "room", past: "definition throws" }),
  maxClients: count("Clients that a room type may ask for", {
    max: 1024,
    per: "room",
    past: "definition throws"
  }),
  hibernateAfterMs: span("Longest idle span before hibernation that a type may ask for", {
    ms: DayMs,
    per: "room type",
    past: "definition throws"
  }),
  reconnectForMs: span("Longest time a dropped client's session may be kept", {
    ms: 10 * MinuteMs,
    per: "room type",
    past: "definition throws"
  }),

  // Quick match (spec: Quick-match limits). A schema names the queue of its room type.
  queueNameChars: count("Characters of a queue's name", {
    max: 32,
    per: "queue",
    past: "E_BAD_REQUEST"
  }),

  // Replay (spec: Replay limits).
  replaySeconds: range("Recorded footage (`seconds`) that a room type may ask for", {
    min: 1,
    max: 300,
    per: "room",
    past: "definition throws"
  }),
  replaySecondsDefault: count("Recorded footage (`seconds`) default", {
    max: 60,
    per: "room",
    past: "the oldest seconds are dropped"
  }),
  replayTtl: span("Clip/recording lifetime (`ttl`) default", {
    ms: 30 * DayMs,
    per: "clip or recording",
    past: "deleted; its link stops"
  }),

  // Rooms (spec: Room budget per server; Connection and room limits).
  maxClientsDefault: count("maxClients default", { max: 64, per: "room", past: "E_ROOM_FULL" }),
  hibernateAfter: span(
    "Empty time before a room hibernates, unless its type says otherwise (D-48)",
    {
      ms: 30 * SecondMs,
      per: "room",
      past: "the room hibernates"
    }
  ),
  reconnectFor: span("Time a dropped client's session is kept, unless its type says otherwise", {
    ms: 20 * SecondMs,
    per: "client",
    past: "onLeave"
  })
} as const
