import { MiB, SecondMs, MinuteMs, count, size, span } from "../limits/Limit.ts"

/** The client library. */
export const ClientLimits = {
  // The client library.
  clientQueue: count("Frames kept while the connection is away", {
    max: 256,
    per: "joined room",
    past: "send throws E_QUEUE_FULL"
  }),
  clientQueueBytes: size("Bytes of frames kept while the connection is away", {
    max: MiB,
    per: "joined room",
    past: "send throws E_QUEUE_FULL"
  }),
  rpcsWaiting: count("RPCs that may wait for their answer", {
    max: 256,
    per: "client and direction",
    past: "E_RPC_BUSY"
  }),
  clientRequest: span("Time for the answer to a request, unless the call says otherwise", {
    ms: 15 * SecondMs,
    per: "request",
    past: "E_RPC_TIMEOUT"
  }),
  clientJoin: span("Time from the start of a connection to its welcome", {
    ms: 30 * SecondMs,
    per: "connection",
    past: "E_JOIN_TIMEOUT"
  }),
  clientBackoffBase: span("Bound of the first wait before a reconnection, doubled by each", {
    ms: 100,
    per: "joined room",
    past: "the client connects"
  }),
  clientBackoffCap: span("Longest wait before a reconnection", {
    ms: 5 * SecondMs,
    per: "joined room",
    past: "the client connects"
  }),
  clientReconnect: span("Time after a drop in which the client goes on trying", {
    ms: MinuteMs,
    per: "joined room",
    past: "onLeave"
  }),
  clientWaking: span("Time for which a first join waits for a server that takes no rooms now", {
    ms: 10 * SecondMs,
    per: "join",
    past: "E_TENANT_WAKING"
  }),
  clientSilence: span("Silence after which the client pings, and after as much again reconnects", {
    ms: 15 * SecondMs,
    per: "joined room",
    past: "the client reconnects"
  }),
  clientClose: span("Time for the closing handshake of leave()", {
    ms: 3 * SecondMs,
    per: "joined room",
    past: "leave resolves"
  }),
  pollBackoffBase: span("Bound of the first wait after a refused poll, doubled by each", {
    ms: SecondMs,
    per: "watch of presence, or list of rooms",
    past: "the client asks again"
  }),
  pollBackoffCap: span("Longest wait after a refused poll", {
    ms: 30 * SecondMs,
    per: "watch of presence, or list of rooms",
    past: "the client asks again"
  }),
  ticketPoll: span("Time between two looks of a client at its ticket", {
    ms: SecondMs,
    per: "ticket",
    past: "the client asks again"
  }),
  presenceWait: span("Time for which a poll of watchPresence waits", {
    ms: 30 * SecondMs,
    per: "poll",
    past: "the client asks again"
  }),
  roomsPoll: span("Time between two questions for the open list of rooms while it changes", {
    ms: 3 * SecondMs,
    per: "list of rooms",
    past: "the client asks again"
  }),
  roomsPollQuiet: span(
    "Longest time between two questions for a list of rooms that stays as it is",
    {
      ms: 10 * SecondMs,
      per: "list of rooms",
      past: "the client asks again"
    }
  ),
  clientRoomsTried: count("Full rooms of a type that joinOrCreate and join pass by", {
    max: 32,
    per: "call",
    past: "E_ROOM_FULL"
  })
} as const
