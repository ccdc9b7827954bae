import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { Schema } from "effect"

import { Moment } from "../http/Moment.ts"
import { LogLine } from "../logs/LogLine.ts"
import { Replay } from "./ReplaysApi.ts"
import { ReplayStoreLimits } from "./ReplayStoreLimits.ts"

/** The first word of a report, and the version of its form. */
export const replayReportFormat = "atrium-replay-report-1"

const chunk = Schema.Uint8ArrayFromBase64.check(
  Schema.makeFilter(
    ({ length }) =>
      length <= ReplayLimits.replayChunkBytes.max ||
      `must have at most ${ReplayLimits.replayChunkBytes.max} bytes`
  )
)

/**
 * The file that `atrium replays report` writes: the last seconds of a room, with the facts that a developer needs to find a fault.
 * The log is in this file alone: the stored clip, which everybody with its id may watch, has none. Source: C-839.
 */
export const ReplayReport = Schema.Struct({
  format: Schema.Literal(replayReportFormat),
  madeAt: Moment,
  versions: Schema.Struct({
    /** Of the command that wrote it. */
    atrium: Schema.String,
    /** Of the service that ran the room; absent = it is older than this word. */
    service: Schema.optionalKey(Schema.String),
    node: Schema.String,
    platform: Schema.String,
    /** The version of the project that the room ran. */
    deployment: Schema.Int,
    deployedAt: Schema.NullOr(Moment),
    /** Of the room's type in that version. */
    schemaHash: Schema.NullOr(Schema.String)
  }),
  /** As `GET /v1/replays/:id` tells it. */
  replay: Replay,
  /** As `GET /v1/replays/:id/chunks/:index` gives them to a caller that takes no zstd. */
  chunks: Schema.Array(chunk).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(ReplayStoreLimits.clipChunks.max)
  ),
  /** The lines of the room since the clip begins, the oldest first. */
  logs: Schema.Array(LogLine).check(Schema.isMaxLength(ReplayStoreLimits.replayReportLines.max))
}).check(
  Schema.makeFilter(
    ({ replay, chunks }) => replay.chunks.length === chunks.length || "must have each chunk once"
  )
)
export type ReplayReport = typeof ReplayReport.Type
