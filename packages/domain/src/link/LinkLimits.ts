import { KiB, MiB, SecondMs, count, size, span } from "@atrium/wire/limits/Limit"

/** Links between runners, over which clients reach rooms of another runner. */
export const LinkLimits = {
  linkBeat: span("Time between two signs of life on a link between runners", {
    ms: SecondMs,
    per: "link",
    past: "a sign of life is missing"
  }),
  linkSilentBeats: count("Signs of life that may be missing in a row, and those of a handshake", {
    max: 3,
    per: "link",
    past: "the link is lost, and the clients behind it get 1012"
  }),
  linkUnproven: count("Connections to a runner's link that have not proven the key yet", {
    max: 64,
    per: "runner",
    past: "the connection is cut off"
  }),
  linkUnprovenBytes: size("Bytes of a connection to a runner's link before it has proven the key", {
    max: KiB,
    per: "connection",
    past: "the connection is cut off"
  }),
  linkCreditBytes: size("Frames on their way to a client over a link, beside its outbound buffer", {
    max: 4 * MiB,
    per: "client",
    past: "E_SLOW_CONSUMER"
  }),
  linkCountBytes: size("Frames that a client has taken and its room's runner has not heard of", {
    max: 64 * KiB,
    per: "client",
    past: "the room's runner is told"
  }),
  linkCongestedBytes: size("Bytes that wait for a link from which on its clients send too fast", {
    max: 8 * MiB,
    per: "link",
    past: "a client that goes on sending is not read for a while"
  }),
  linkBacklogBytes: size("Bytes that wait for a link", {
    max: 256 * MiB,
    per: "link",
    past: "the link is lost, and the clients behind it get 1012"
  }),
  linkEnter: span("Time for another runner to answer a client that wants into its room", {
    ms: 8 * SecondMs,
    per: "join",
    past: "E_TENANT_WAKING"
  }),
  linkQuestions: count("Questions of another runner that are open at once", {
    max: 1024,
    per: "link",
    past: "the question is refused"
  }),
  linkAnswer: span("Time for another runner to answer a question", {
    ms: 2 * SecondMs,
    per: "question",
    past: "the tail of a log goes on without its lines; else E_NOT_READY"
  }),
  linkAddresses: count("Servers of projects whose runner is remembered", {
    max: 10_000,
    per: "runner",
    past: "the server that was asked for the longest ago is asked again"
  }),
  linkEnd: span("Time for the last frames of a link to leave at the end of its runner", {
    ms: SecondMs / 2,
    per: "runner",
    past: "the link is cut off"
  })
} as const
