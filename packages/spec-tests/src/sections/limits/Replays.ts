import { replayRow } from "../RowKinds.ts"
import { section, tierC, tierB } from "../Section.ts"
import { atMost, megabytes, secondMs, dayMs, minuteMs } from "../Units.ts"
import {
  countedApart,
  excerptBurst,
  excerptOutput,
  excerptRate,
  excerptWindow
} from "./ExcerptProbes.ts"
import {
  billed,
  chunksWaiting,
  clipRate,
  clipSize,
  disarmed,
  dropsOldest,
  fixedWhenSaved,
  graceMinute,
  recordingSize,
  recordsSeconds,
  ringBytes,
  stateExceedsRing,
  ttlDefault,
  ttlFromFirstChunk
} from "./ReplayProbes.ts"
import { builds } from "./SchemaBuilds.ts"

/** A row about what becomes of a recording in time. */
const timedRow = tierC.taking({ hooks: ["clock", "fixture"], features: ["replay"] })
const timedClientRow = timedRow.taking({ probe: ["ws"] })

/** Lines 511 to 522 of the specification: Replay limits. */
export const replaysSection = section("Limits / Replay limits", {
  "replay.seconds.default": timedClientRow(511, "60 seconds recorded by default", {
    is: { seconds: 60 },
    check: recordsSeconds
  }),
  "replay.seconds.max": tierB(511, "300 at most", {
    probe: ["sdk"],
    hooks: [],
    features: ["replay", "sdk"],
    decisions: ["D-44", "T-37"],
    boundary: { ...atMost(300, "count"), outcome: {} },
    check: builds("300 seconds build; 301 throw", {
      taken: [{ replaySeconds: 300 }, { replaySeconds: 1 }],
      refused: [{ replaySeconds: 301 }, { replaySeconds: 0 }]
    })
  }),
  "replay.seconds.drop-oldest": timedClientRow(511, "the oldest seconds are dropped", {
    check: dropsOldest
  }),
  "replay.memory": replayRow(512, "8 MB per recording room; oldest dropped early", {
    decisions: ["T-KB"],
    boundary: { ...megabytes(8), outcome: {} },
    check: ringBytes
  }),
  "replay.memory.state-exceeds-ring": tierC(
    512,
    "a room whose state exceeds the ring cannot record",
    { probe: ["ws"], hooks: ["fixture", "memory"], features: ["replay"], check: stateExceedsRing }
  ),
  "replay.memory.disarmed": tierC(512, "then a clip is refused with E_CLIP_DISARMED", {
    probe: ["ws"],
    hooks: ["fixture", "memory"],
    features: ["replay"],
    alsoLines: [348],
    error: { outcome: { code: "E_CLIP_DISARMED" } },
    check: disarmed
  }),
  "replay.clip.rate": timedClientRow(513, "one clip a second per room: E_CLIP_COOLDOWN", {
    alsoLines: [349],
    bucket: {
      endpoint: "clips of a room",
      key: "room",
      rate: 1,
      perMs: secondMs,
      burst: 1,
      outcome: { code: "E_CLIP_COOLDOWN" }
    },
    check: clipRate
  }),
  "replay.clip.size": replayRow(514, "16 MB: E_CLIP_TOO_LARGE", {
    decisions: ["T-KB"],
    alsoLines: [350],
    boundary: { ...megabytes(16), outcome: { code: "E_CLIP_TOO_LARGE" } },
    check: clipSize
  }),
  "replay.ttl.default": timedRow(515, "ttl default 30 days", {
    decisions: ["D-44"],
    keep: { datum: "a clip or recording", forMs: 30 * dayMs, becomes: "gone" },
    check: ttlDefault
  }),
  "replay.ttl.range": tierB(515, "ttl 1m to 3650d", {
    probe: ["sdk"],
    hooks: [],
    features: ["replay", "sdk"],
    boundary: {
      unit: "ms",
      accept: 3650 * dayMs,
      refuse: 3651 * dayMs,
      least: 1 * minuteMs,
      outcome: {}
    },
    check: builds("1m and 3650d build; 0m and 3651d throw", {
      taken: [{ replayTtl: "1m" }, { replayTtl: "3650d" }],
      refused: [{ replayTtl: "0m" }, { replayTtl: "3651d" }]
    })
  }),
  "replay.ttl.grace-minute": timedRow(515, "the link may work up to a minute longer", {
    is: { graceMs: 1 * minuteMs },
    check: graceMinute
  }),
  "replay.ttl.fixed-when-saved": timedRow(515, "fixed when saved", {
    check: fixedWhenSaved
  }),
  "replay.recording.size": tierC(
    516,
    "one recording 256 MB compressed; recording stops, clips keep working",
    {
      probe: ["ws"],
      hooks: ["fixture", "seed"],
      features: ["replay"],
      decisions: ["T-KB"],
      boundary: { ...megabytes(256), outcome: {} },
      check: recordingSize
    }
  ),
  "replay.chunks.waiting": tierC(
    517,
    "2 chunks waiting on the store; then recording stops, clips keep working",
    {
      probe: ["ws"],
      hooks: ["fixture", "servers"],
      features: ["replay"],
      boundary: { ...atMost(2, "count"), outcome: {} },
      check: chunksWaiting
    }
  ),
  "replay.excerpt.window": replayRow(518, "30 seconds: E_EXCERPT_TOO_LONG", {
    alsoLines: [351],
    boundary: { ...atMost(30 * secondMs, "ms"), outcome: { code: "E_EXCERPT_TOO_LONG" } },
    check: excerptWindow
  }),
  "replay.excerpt.concurrent": replayRow(519, "4 at once", {
    decisions: ["T-35"],
    alsoLines: [352],
    bucket: {
      endpoint: "excerpts of a room",
      key: "room",
      rate: 1,
      perMs: secondMs,
      burst: 4,
      outcome: { code: "E_EXCERPT_COOLDOWN" }
    },
    check: excerptBurst
  }),
  "replay.excerpt.rate": timedClientRow(519, "one more per second", {
    decisions: ["T-35"],
    alsoLines: [352],
    literalsOf: "replay.excerpt.concurrent",
    check: excerptRate
  }),
  "replay.excerpt.output": replayRow(520, "4 MB of frames: E_EXCERPT_TOO_LARGE", {
    decisions: ["T-KB"],
    alsoLines: [353],
    boundary: { ...megabytes(4), outcome: { code: "E_EXCERPT_TOO_LARGE" } },
    check: excerptOutput
  }),
  "replay.recording.ttl-from-first-chunk": timedRow(
    522,
    "a recording's ttl counts from its first stored chunk",
    {
      check: ttlFromFirstChunk
    }
  ),
  "replay.excerpt.separate-from-clips": replayRow(
    522,
    "excerpt limits are counted apart from clips",
    {
      check: countedApart
    }
  ),
  "replay.billing": tierC(
    522,
    "clips and recordings are stored compressed, count as storage while kept and as bandwidth when watched",
    { hooks: ["fixture", "meters"], features: ["metering", "replay"], check: billed }
  )
})
