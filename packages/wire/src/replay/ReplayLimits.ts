import { KiB, MiB, SecondMs, count, rate, size, span } from "../limits/Limit.ts"

/**
 * What a room records of itself (spec: Replay limits), as its own process and those who watch know it. How many seconds,
 * and for how long they are kept, a schema says: `SchemaLimits`.
 */
export const ReplayLimits = {
  ringBytes: size("Memory per recording room", {
    max: 8 * MiB,
    per: "room",
    past: "the oldest seconds are dropped early"
  }),
  ringShrunkBytes: size("The same while its server is near its memory limit", {
    max: MiB / 2,
    per: "room",
    past: "the oldest seconds are dropped early"
  }),
  keyframeBytes: size("Encoded public state that a ring can hold", {
    max: 8 * MiB,
    per: "room",
    past: "E_CLIP_DISARMED"
  }),
  chunkSpan: span("Footage in one chunk of a replay, unless nothing changes meanwhile", {
    ms: 5 * SecondMs,
    per: "chunk",
    past: "the next chunk begins"
  }),
  idleChunk: span("Footage in one chunk of a recording while nothing changes", {
    ms: 30 * SecondMs,
    per: "chunk",
    past: "the next chunk begins"
  }),
  replayChunkBytes: size("Footage in one chunk of a replay, before it is compressed", {
    max: 16 * MiB,
    per: "chunk",
    past: "the next chunk begins"
  }),
  chunkAheadBytes: size("Compressed bytes that a chunk may come to, going by the one before", {
    max: MiB,
    per: "chunk",
    past: "the next chunk begins"
  }),
  chunkLeastBytes: size("Footage that a chunk has at least before it ends for its size", {
    max: 64 * KiB,
    per: "chunk",
    past: "the next chunk begins"
  }),
  chunksClosing: count("Chunks of a room that wait to be compressed", {
    max: 4,
    per: "room",
    past: "the footage begins anew"
  }),
  // Notes of so many take some 100 MB. A usual chunk has a tenth of these.
  packedValues: count("Values of one chunk that are put beside each other", {
    max: 1_000_000,
    per: "chunk",
    past: "the chunk is stored as it was recorded"
  }),
  clips: rate("Clips per room", {
    burst: 1,
    tokens: 1,
    everyMs: SecondMs,
    per: "room",
    past: "E_CLIP_COOLDOWN"
  }),
  clipsUnderWay: count("Clips of a room that are being stored", {
    max: 2,
    per: "room",
    past: "E_CLIP_COOLDOWN"
  }),
  clipBytes: size("Clip size", { max: 16 * MiB, per: "clip", past: "E_CLIP_TOO_LARGE" }),
  clipAnswerBytes: size("Answer of a room to a request for a clip", {
    max: 4 * KiB,
    per: "clip",
    past: "the process is ended"
  }),
  recordings: rate("Starts of recordings", {
    burst: 4,
    tokens: 1,
    everyMs: SecondMs,
    per: "room",
    past: "E_CALL_RATE"
  }),
  recordingBytes: size("One recording, in compressed stored bytes", {
    max: 256 * MiB,
    per: "recording",
    past: "the recording stops"
  }),
  recordingChunks: count("Chunks of one recording: twelve hours of 5 seconds", {
    max: 8640,
    per: "recording",
    past: "the recording stops"
  }),
  chunksWaiting: count("Recording chunks waiting on the store", {
    max: 2,
    per: "recording",
    past: "the recording stops"
  }),
  excerptWindow: span("Excerpt window", {
    ms: 30 * SecondMs,
    per: "excerpt",
    past: "E_EXCERPT_TOO_LONG"
  }),
  excerpts: rate("Excerpts per room", {
    burst: 4,
    tokens: 1,
    everyMs: SecondMs,
    per: "room",
    past: "E_EXCERPT_COOLDOWN"
  }),
  excerptBytes: size("Excerpt output, in frames", {
    max: 4 * MiB,
    per: "excerpt",
    past: "E_EXCERPT_TOO_LARGE"
  }),
  watchedFactsBytes: size("Metadata of a replay that a client reads", {
    max: 4 * MiB,
    per: "replay",
    past: "E_PROTOCOL"
  }),
  watchedChunksBytes: size("Chunks that a client holds of a replay that it watches, beside one", {
    max: 32 * MiB,
    per: "replay",
    past: "the one that was wanted longest ago is read again"
  }),
  watchedEntries: count("Patches and messages that a client shows before others have a turn", {
    max: 5000,
    per: "replay",
    past: "the rest follows at once"
  }),
  watchedDue: count("Messages of a sought moment that a client tells when it plays on", {
    max: 5000,
    per: "seek",
    past: "the others are left out"
  }),
  watchedSpeed: count("Highest speed of a replay in a client; the lowest speed is its reciprocal", {
    max: 8,
    per: "replay",
    past: "it throws"
  }),
  watchedRetry: span("Longest wait of a client for an allowance to read the next chunk", {
    ms: 30 * SecondMs,
    per: "chunk",
    past: "E_RATE_LIMITED"
  }),
  watchedRetryLeast: span("Shortest wait of a client for an allowance to read the next chunk", {
    ms: 200,
    per: "request",
    past: "it asks again"
  })
} as const
