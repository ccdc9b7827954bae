import { Schema } from "effect"

import { RoomDetail, RoomListRow } from "../rooms/RoomsApi.ts"
import { ProjectMetrics } from "./MetricsApi.ts"

/** What a program that `atrium` starts asks it for: the program has no credential of its own. */
export const ProjectQuestion = Schema.Struct({
  project: Schema.String,
  url: Schema.NullOr(Schema.String)
})
export type ProjectQuestion = typeof ProjectQuestion.Type

/** Answers of the API about one project. Metrics are read twice, as their bytes count up. */
export const ProjectFigures = Schema.Struct({
  before: ProjectMetrics,
  after: ProjectMetrics,
  apartMs: Schema.Int,
  rooms: Schema.Array(RoomListRow),
  /** Some of the rooms, the ones that were last reported. */
  details: Schema.Array(RoomDetail)
})
export type ProjectFigures = typeof ProjectFigures.Type

/** The answer to a question; or why there is none, and the exit code for it. */
export const ProjectReply = Schema.Union([
  Schema.TaggedStruct("Figures", { figures: ProjectFigures }),
  Schema.TaggedStruct("Refused", { text: Schema.String, exitCode: Schema.Literals([1, 2]) })
])
export type ProjectReply = typeof ProjectReply.Type
