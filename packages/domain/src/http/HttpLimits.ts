import { KiB, MiB, SecondMs, MinuteMs, count, size, span } from "@atrium/wire/limits/Limit"

/** HTTP requests. */
export const HttpLimits = {
  httpConnections: count("HTTP connections that have not become WebSockets", {
    max: 2000,
    per: "peer and runner",
    past: "the connection is cut off"
  }),

  // HTTP and projects.
  bodyBytes: size("Request body (D-02)", { max: MiB, per: "request", past: "E_BODY_TOO_LARGE" }),
  bodyCommas: count("Commas in a JSON body, which bound its values", {
    max: 10_000,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  requestHeadBytes: size("Head of a request: its target, names and values of its headers", {
    max: 16 * KiB,
    per: "request",
    past: "431 E_BAD_REQUEST"
  }),
  requestHead: span("Time to send the head of a request", {
    ms: 10 * SecondMs,
    per: "connection",
    past: "408 E_BAD_REQUEST"
  }),
  request: span("Time to send a request, its body included", {
    ms: 5 * MinuteMs,
    per: "request",
    past: "408 E_BAD_REQUEST"
  }),
  requestLook: span("Time between two looks for requests that do not come", {
    ms: SecondMs,
    per: "service",
    past: "they are refused up to this much later"
  }),
  requestsWaiting: count("Requests of a connection that wait for their answers", {
    max: 100,
    per: "connection",
    past: "E_BAD_REQUEST"
  }),
  lastAnswer: span("Time to read the answer after which a connection ends", {
    ms: SecondMs,
    per: "connection",
    past: "the connection is cut off"
  }),
  rateSubjects: count("Subjects of a rate limit that are remembered, and as many that it refused", {
    max: 10_000,
    per: "limit and runner",
    past: "those that asked longest ago are forgotten"
  }),
  liveLists: count("Live lists that are followed at once", {
    max: 40,
    per: "project, or account outside of one, and runner",
    past: "E_RATE_LIMITED"
  }),
  liveFor: span("Answer of a live list", {
    ms: 5 * MinuteMs,
    per: "answer",
    past: "it ends, and its reader asks again"
  }),
  livePing: span("Time after which a live list without changes says that it is there", {
    ms: 15 * SecondMs,
    per: "live list",
    past: "an event without rows"
  }),
  liveRows: count("Rows of one event of a live list", {
    max: 500,
    per: "event",
    past: "the others come in further events"
  }),
  httpAnswer: span("Answer to a request, without its body's way and what has a bound of its own", {
    ms: 5 * SecondMs,
    per: "request",
    past: "E_NOT_READY"
  })
} as const
