import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { ProjectAccess } from "../http/Credential.ts"
import { rateLimitedOnWire } from "../http/onWire.ts"
import { limitQuery, sinceQuery } from "../http/PageQuery.ts"
import { projectPart } from "../http/PathParts.ts"
import { LogLimits } from "./LogLimits.ts"
import { LogLevels, LogLine } from "./LogLine.ts"

const filters = {
  room: Schema.optionalKey(
    Schema.String.annotate({ description: "Of this room alone; a malformed id is the id of none." })
  ),
  level: Schema.optionalKey(
    Schema.Literals(LogLevels).annotate({ description: "The least level; default: `debug`." })
  ),
  since: sinceQuery
}

const { max: searchMax } = LogLimits.logSearchBytes
const searchForm = `must be 1 to ${searchMax} bytes of text`
const utf8 = new TextEncoder()

/** The text that a line contains, compared literally: it is no pattern. Source: C-801. */
const Contained = Schema.String.annotate({
  description: `Lines that hold this text alone, 1 to ${searchMax} bytes; capital letters count.`
}).check(
  Schema.makeFilter(
    (text) =>
      (text !== "" && text.isWellFormed() && utf8.encode(text).length <= searchMax) || searchForm
  )
)

/**
 * An event of a tail. `line`: its id resumes the tail as `Last-Event-ID`. `missed`: lines were left out
 * here; their number, `null` = it is not known. `ping`: no line came for a while, or none was there at
 * the start.
 */
export const TailEvent = Schema.Union([
  Schema.Struct({
    event: Schema.Literal("line"),
    id: Schema.String,
    data: Schema.fromJsonString(LogLine)
  }),
  Schema.Struct({
    event: Schema.Literal("missed"),
    data: Schema.fromJsonString(Schema.Struct({ lines: Schema.NullOr(Schema.Int) }))
  }),
  Schema.Struct({ event: Schema.Literal("ping"), data: Schema.Literal("") })
])
export type TailEvent = typeof TailEvent.Type

/** The id of the last event that a reader has seen, as a browser sends it. */
const lastEvent = {
  "last-event-id": Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(
        (text) => /^\d{1,16}$/.test(text) || "must be the id of an event, a whole number"
      )
    )
  )
}

/** What the rooms of a project have logged: the developer's own login credential. Source: D-37. */
export class LogsApi extends HttpApiGroup.make("logs")
  .annotateMerge(
    OpenApi.annotations({
      title: "Logs",
      description: "What the rooms of a project have logged, for 7 days."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/logs", {
      params: projectPart,
      query: {
        ...filters,
        contains: Schema.optionalKey(Contained),
        limit: limitQuery(LogLimits.logLines.max)
      },
      success: Schema.Array(LogLine)
    })
      .annotate(OpenApi.Summary, "Lists the newest lines that match, the oldest of them first.")
      .middleware(ProjectAccess),
    HttpApiEndpoint.get("tail", "/v1/projects/:id/logs/tail", {
      params: projectPart,
      query: filters,
      headers: lastEvent,
      success: HttpApiSchema.StreamSse({ events: TailEvent }),
      error: rateLimitedOnWire
    })
      .annotate(
        OpenApi.Summary,
        "Tells the last lines in memory, or those since a moment, and then each line as it comes."
      )
      .middleware(ProjectAccess)
  ) {}
