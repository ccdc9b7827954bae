import {
  HourMs,
  KiB,
  MiB,
  MinuteMs,
  SecondMs,
  count,
  rate,
  size,
  span
} from "@atrium/wire/limits/Limit"

/** What the service does to store replays and to show them. What rooms may record is in `ReplayLimits` of wire. */
export const ReplayStoreLimits = {
  replayReadsByAddress: rate("GET /v1/replays/... by address", {
    burst: 30,
    tokens: 120,
    everyMs: MinuteMs,
    per: "address",
    past: "E_RATE_LIMITED"
  }),
  replayReads: rate("GET /v1/replays/...", {
    burst: 300,
    tokens: 3000,
    everyMs: MinuteMs,
    per: "replay",
    past: "E_RATE_LIMITED"
  }),
  packsWaiting: count("Chunks of replays that wait to be packed", {
    max: 256,
    per: "runner",
    past: "the clip is refused, the recording stops"
  }),
  packsWaitingBytes: size("The bytes of these chunks", {
    max: 64 * MiB,
    per: "runner",
    past: "the clip is refused, the recording stops"
  }),
  packTime: span("Time to pack one chunk of a replay", {
    ms: 10 * SecondMs,
    per: "chunk",
    past: "the clip is refused, the recording stops"
  }),
  packerSaidBytes: size("What the process that packs says beside a chunk", {
    max: 256 * KiB,
    per: "chunk",
    past: "the process is ended, the chunk is refused"
  }),
  packerIdle: span("Time without a chunk after which the process that packs them ends", {
    ms: MinuteMs,
    per: "runner",
    past: "the process is ended"
  }),
  clipChunks: count("Chunks of one clip", { max: 512, per: "clip", past: "E_CALL_INVALID" }),
  clipFromRoom: span("Time for a room to make a clip that somebody else asks for", {
    ms: 15 * SecondMs,
    per: "clip",
    past: "E_NOT_READY"
  }),
  chunkFromRoom: span("Time for a room to hand over a chunk", {
    ms: 5 * SecondMs,
    per: "chunk",
    past: "the clip is refused, the recording stops"
  }),
  lastChunk: span("Time for the last chunk of a recording when its room leaves", {
    ms: 2 * SecondMs,
    per: "recording",
    past: "the chunk is lost"
  }),
  recordingGap: span("Time for which a recording waits for its room to be back", {
    ms: MinuteMs,
    per: "recording",
    past: "the recording is over"
  }),
  replaySweep: span("Time between two looks for replays that have expired", {
    ms: MinuteMs,
    per: "service",
    past: "they are removed"
  }),
  replaySweepBatch: count("Expired replays that one transaction removes", {
    max: 20,
    per: "look",
    past: "further ones follow"
  }),
  replaysListed: count("Replays of a project that a list shows, the newest first", {
    max: 1000,
    per: "list",
    past: "older ones are left out"
  }),
  unpacksAtOnce: count("Chunks decompressed at once for callers that do not accept zstd", {
    max: 2,
    per: "runner",
    past: "further ones wait"
  }),
  unpacksWaiting: count("Requests that wait for a chunk to be decompressed", {
    max: 32,
    per: "runner",
    past: "E_NOT_READY"
  }),
  unpackWait: span("Time for which such a request waits for its turn", {
    ms: 5 * SecondMs,
    per: "request",
    past: "E_NOT_READY"
  }),
  replayReport: size("The file of a replay report", {
    max: 64 * MiB,
    per: "report",
    past: "`atrium dev --replay` refuses it"
  }),
  replayReportLines: count("Log lines of a replay report, the newest", {
    max: 1000,
    per: "report",
    past: "older ones are left out"
  }),
  reportClipKept: span("Clip that a replay report is made of", {
    ms: HourMs,
    per: "report",
    past: "it is deleted"
  }),
  reportRetry: span("Time until a report asks again for its clip or a chunk", {
    ms: SecondMs,
    per: "request",
    past: "it asks again"
  }),
  reportRetries: count("Times that a report asks again for its clip or a chunk", {
    max: 120,
    per: "request",
    past: "the command fails with the refusal"
  }),
  linkGrace: span("Longest time for which a browser may show a replay that has expired", {
    ms: MinuteMs,
    per: "replay",
    past: "the link stops"
  })
} as const
