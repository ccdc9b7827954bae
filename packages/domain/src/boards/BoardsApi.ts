import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { Moment } from "../http/Moment.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { limitQuery } from "../http/PageQuery.ts"
import { projectPart } from "../http/PathParts.ts"
import { roomCall } from "../rooms/RoomCall.ts"
import { BadRequest, BoardUnknown, NotFound, OriginRefused } from "../shared/Refusal.ts"
import { BoardLimits } from "./BoardLimits.ts"
import { isPeriodName } from "./BoardPeriods.ts"

/** A player's score and its place; the earlier of two equal scores is ranked first. Source: D-34. */
const BoardRow = Schema.Struct({
  rank: Schema.Int,
  playerId: Schema.String,
  score: Schema.Int,
  at: Moment
}).annotate({ identifier: "BoardRow", description: "A player's score and its rank, from 1." })

/** Source: D-34. */
const BoardRead = Schema.Struct({
  board: Schema.String,
  /** `null` = the board has no periods. */
  period: Schema.NullOr(Schema.String),
  rows: Schema.Array(BoardRow)
}).annotate({ identifier: "BoardRead", description: "Scores of a board, the first one first." })
export type BoardRead = typeof BoardRead.Type

const onePeriod = "must be a period such as 2026-11-23, 2026-W48, 2026-11 or season:one"
const oneBucket = `must be 1 to ${BoardLimits.bucketNameChars.max} of a-z 0-9 . _ -`
const isBucket = (text: string): boolean =>
  /^[a-z0-9._-]+$/.test(text) && text.length <= BoardLimits.bucketNameChars.max

const Bucket = Schema.String.check(Schema.makeFilter((text) => isBucket(text) || oneBucket))

const seriesQuery = {
  project: projectPart.id,
  period: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter((text) => isPeriodName(text) || onePeriod)).annotate({
      description: "The current one when left out."
    })
  ),
  bucket: Schema.optionalKey(Bucket)
}

const boardPart = {
  board: Schema.String.annotate({ description: "The board's name.", examples: ["kills"] })
}

const errors = [
  onWire(NotFound),
  onWire(BoardUnknown),
  onWire(BadRequest),
  onWire(OriginRefused),
  rateLimitedOnWire
] as const

/** Reads of leaderboards: open endpoints, the project id is the credential. Source: D-26, D-34. */
export class BoardsApi extends HttpApiGroup.make("boards")
  .annotateMerge(
    OpenApi.annotations({
      title: "Leaderboards",
      description: "Scores of players. The project's id is all that it takes to read them."
    })
  )
  .add(
    HttpApiEndpoint.get("top", "/v1/leaderboard/:board/top", {
      params: boardPart,
      query: { ...seriesQuery, limit: limitQuery(BoardLimits.topRows.max) },
      success: BoardRead,
      error: errors
    }).annotate(OpenApi.Summary, "Lists the first scores of a board."),
    HttpApiEndpoint.get("around", "/v1/leaderboard/:board/around/:playerId", {
      params: {
        ...boardPart,
        playerId: Schema.String.annotate({ description: "The player's id.", examples: ["pl_1"] })
      },
      query: { ...seriesQuery, each: limitQuery(BoardLimits.aroundRows.max) },
      success: BoardRead,
      error: errors
    }).annotate(
      OpenApi.Summary,
      "Lists a player's score between its neighbours; no rows when the player has no score."
    )
  ) {}

const utf8 = new TextEncoder()

const textOf = (most: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) =>
        (text !== "" &&
          text.isWellFormed() &&
          !text.includes("\0") &&
          utf8.encode(text).length <= most) ||
        `must be 1 to ${most} bytes of text`
    )
  )

/** Room code submits a score: `room.leaderboard.submit`. Spec: Leaderboard limits. */
export const submitCall = roomCall({
  payload: Schema.Struct({
    board: Schema.String,
    player: textOf(FrameLimits.playerIdBytes.max),
    /** Anything: the refusal of what is no score has a code of its own. */
    score: Schema.Unknown,
    bucket: Schema.NullOr(Bucket),
    id: Schema.NullOr(textOf(BoardLimits.submitIdBytes.max))
  }),
  answer: Schema.Struct({ score: Schema.NullOr(Schema.Int), changed: Schema.Boolean }),
  rate: BoardLimits.boardSubmits
})
