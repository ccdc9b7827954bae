import { KiB, MiB, SecondMs, MinuteMs, count, size, rate, span } from "@atrium/wire/limits/Limit"

/** Connections of clients. */
export const ConnectionLimits = {
  writeWindow: span("Longest time a frame to a client waits for others, under load only", {
    ms: 1,
    per: "runner",
    past: "it is written"
  }),

  // Connections (spec: Connection and room limits).
  orphan: span("Time in which nobody serves the room of a socket", {
    ms: 3 * SecondMs,
    per: "socket",
    past: "1012, and `atrium_orphan_sockets_total` counts it"
  }),
  orphanLook: span("Time between two looks for sockets in rooms that nobody serves", {
    ms: SecondMs,
    per: "runner",
    past: "such a socket is closed up to this much later"
  }),
  helloBytes: size("Hello frame from a client", {
    max: 64 * KiB,
    per: "connection",
    past: "E_BAD_FRAME"
  }),
  framesKept: count("Frames of clients kept while a room's process restarts", {
    max: 1024,
    per: "room",
    past: "dropped"
  }),
  framesKeptBytes: size("Bytes of frames of clients kept while a room's process restarts", {
    max: 16 * MiB,
    per: "room",
    past: "dropped"
  }),
  frames: rate("Frames per second per connection", {
    burst: 480,
    tokens: 240,
    everyMs: SecondMs,
    per: "connection",
    past: "E_RATE_LIMITED"
  }),
  framesDropped: count("Frames over the rate that are dropped one after another", {
    max: 240,
    per: "connection",
    past: "the connection is not read for a while"
  }),
  floodPause: span("Time for which a connection is not read whose frames are dropped", {
    ms: SecondMs,
    per: "connection",
    past: "it is read again"
  }),
  messagePieces: count("WebSocket frames of one message", {
    max: 1024,
    per: "message",
    past: "WebSocket's own 1008"
  }),
  messageChunks: count("Reads from the network that bring one WebSocket frame", {
    max: 8192,
    per: "frame",
    past: "WebSocket's own 1008"
  }),
  chunkBytes: size("Memory of a read from the network beside its bytes, as it is counted", {
    max: KiB,
    per: "read",
    past: "not counted"
  }),
  clientsHeldAllBytes: size(
    "Messages of all clients that have not come whole; past it those with the most are closed",
    {
      max: 128 * MiB,
      per: "runner",
      past: "E_UNFINISHED"
    }
  ),
  pongsWaiting: count("WebSocket pings whose pongs have not left yet", {
    max: 60,
    per: "connection",
    past: "the connection is cut off"
  }),
  chatBytes: size("Chat line", { max: 512, per: "line", past: "E_CHAT_TOO_LONG" }),
  chatLines: rate("Chat lines per second per connection", {
    burst: 5,
    tokens: 1,
    everyMs: SecondMs,
    per: "connection",
    past: "E_CHAT_RATE"
  }),
  joinsByAddress: rate("Joins per client address per minute", {
    burst: 600,
    tokens: 600,
    everyMs: MinuteMs,
    per: "client address and server",
    past: "E_RATE_LIMITED"
  }),
  joins: rate("Joins of the whole project per minute", {
    burst: 6000,
    tokens: 6000,
    everyMs: MinuteMs,
    per: "server",
    past: "E_RATE_LIMITED"
  }),
  newRooms: rate("New rooms per client address per minute", {
    burst: 60,
    tokens: 60,
    everyMs: MinuteMs,
    per: "client address and server",
    past: "E_RATE_LIMITED"
  }),
  connectionsToUnknown: rate("New connections to servers that this runner never started", {
    burst: 1200,
    tokens: 1200,
    everyMs: MinuteMs,
    per: "client address and runner",
    past: "E_RATE_LIMITED"
  }),
  unwelcomed: count("Connections that are not in their rooms yet, or were just refused", {
    max: 2000,
    per: "client address and runner",
    past: "HTTP 429"
  }),
  outboundPlayerBytes: size("Outbound buffer per socket, player", {
    max: 4 * MiB,
    per: "socket",
    past: "E_SLOW_CONSUMER"
  }),
  outboundViewerBytes: size("Outbound buffer per socket, viewer", {
    max: 256 * KiB,
    per: "socket",
    past: "E_SLOW_CONSUMER"
  }),
  outboundAllBytes: size("All outbound buffers; past it those with the most are closed", {
    max: 512 * MiB,
    per: "runner",
    past: "E_SLOW_CONSUMER"
  }),
  pingEvery: span("Time between the service's pings (D-24)", {
    ms: 20 * SecondMs,
    per: "connection",
    past: "a connection that did not answer the last one is ended"
  })
} as const
