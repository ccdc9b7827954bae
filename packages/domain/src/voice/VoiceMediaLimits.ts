import { SecondMs, count, range, rate, size, span } from "@atrium/wire/limits/Limit"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"

/** The media of voice calls, which a process of its own carries. */
export const VoiceMediaLimits = {
  voicePorts: range("Voice media ports", {
    min: 40_000,
    max: 40_999,
    per: "runner",
    past: "the service does not start"
  }),
  voiceFrames: rate("Voice frames of a connection", {
    burst: 20,
    tokens: 2,
    everyMs: SecondMs,
    per: "connection",
    past: "E_RATE_LIMITED"
  }),
  voiceWallsKept: count("Projects whose last wall of voice minutes is remembered", {
    max: 1000,
    per: "runner",
    past: "the project that was asked for the longest ago is forgotten"
  }),
  voiceAnswer: span("Time for the media process to answer a join, its own start included", {
    ms: 10 * SecondMs,
    per: "join",
    past: "the process is ended, and the participants join anew"
  }),
  voiceJanusAnswer: span("Time for Janus to answer a request", {
    ms: 5 * SecondMs,
    per: "request",
    past: "the request has failed"
  }),
  voiceJanusAlive: span("Time from one sign of life to Janus to the next", {
    ms: 20 * SecondMs,
    per: "process",
    past: "Janus ends a session after a minute without one"
  }),
  voiceJanusLeft: span("Time from one look for empty rooms of Janus to the other", {
    ms: 20 * SecondMs,
    per: "process",
    past: "a room that was empty at both is removed"
  }),
  voiceContinued: span("Time after a room has moved in which its call counts as running", {
    ms: 60 * SecondMs,
    per: "room",
    past: "who joins begins a call, which the wall refuses"
  }),
  voiceIdle: span("Time without a call after which the media process ends", {
    ms: 60 * SecondMs,
    per: "runner",
    past: "the next call starts it again"
  }),
  voiceRestart: span("Time from one start of the media process to the next", {
    ms: SecondMs,
    per: "runner",
    past: "a join that comes sooner has to be made again"
  }),
  // JSON writes a control character of an SDP as six; the rest is for the names of groups.
  voiceLineBytes: size("Line between the service and the media process", {
    max: 8 * VoiceLimits.voiceSdpBytes.max,
    per: "line",
    past: "the process is ended"
  }),
  voiceOfferLines: count("Media lines of an offer", {
    max: 8,
    per: "offer",
    past: "E_BAD_MESSAGE"
  }),
  voicePackets: rate("Packets that are taken from a participant", {
    burst: 300,
    tokens: 150,
    everyMs: SecondMs,
    per: "participant",
    past: "dropped"
  }),
  voiceStreams: count("RTP streams of a participant", {
    max: 4,
    per: "participant",
    past: "dropped"
  }),
  voiceConsent: span("Time for which media goes to a path without a check of the client", {
    ms: 30 * SecondMs,
    per: "participant",
    past: "nothing is sent there"
  }),
  voiceDatagramBytes: size("Packet of media", { max: 2048, per: "packet", past: "dropped" }),
  voicePaths: count("Paths of a participant that a check has proven", {
    max: 8,
    per: "participant",
    past: "the one that was checked longest ago is forgotten"
  }),
  voiceTcpConnections: count("TCP connections to the port of a participant", {
    max: 4,
    per: "participant",
    past: "closed"
  }),
  voiceTcpCheck: span("Time for the first check over a TCP connection", {
    ms: 5 * SecondMs,
    per: "connection",
    past: "closed"
  }),
  voiceTcpBacklog: size("Media that waits for a TCP connection", {
    max: 64 * 1024,
    per: "connection",
    past: "dropped"
  })
} as const
