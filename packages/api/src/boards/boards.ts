import { scoreAt, type SubmitRefusal } from "@atrium/actors/boards/BoardMachine"
import type { RankedScore, SeriesName } from "@atrium/actors/boards/BoardRows"
import { BoardStore } from "@atrium/actors/boards/BoardStore"
import { BoardSubmits, type RoomSubmit } from "@atrium/actors/boards/BoardSubmits"
import type { ProjectRow } from "@atrium/actors/projects/ProjectStore"
import { answerCall, type CallRefusal } from "@atrium/actors/rooms/AnsweredCall"
import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { periodAt } from "@atrium/domain/boards/BoardPeriods"
import type { Board } from "@atrium/domain/boards/Boards"
import { type BoardRead, BoardsApi, submitCall } from "@atrium/domain/boards/BoardsApi"
import { apiOf } from "@atrium/domain/http/Api"
import { withoutSecrets } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { BadRequest, BoardUnknown } from "@atrium/domain/shared/Refusal"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Data, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import type { OpenRate } from "../http/OpenRates.ts"
import { makeOpenProject } from "../projects/OpenProject.ts"

export const boardRate: OpenRate = {
  address: BoardLimits.boardReadsByAddress,
  subject: BoardLimits.boardReads
}

/** Reads of leaderboards. */
export const BoardsHandlers = HttpApiBuilder.group(
  apiOf(BoardsApi),
  "boards",
  Effect.fnUntraced(function* (handlers) {
    const openProject = yield* makeOpenProject
    const boards = yield* BoardStore
    const asked = (board: string, query: SeriesQuery) =>
      openProject(boardRate, query.project, (row) => seriesAsked(row, board, query))
    return handlers.handleAll({
      top: Effect.fn("boards.top")(function* ({ params: { board }, query }) {
        const of = yield* asked(board, query)
        const limit = Number(query.limit ?? BoardLimits.topRowsDefault.max)
        return readOf(of, yield* boards.top(of.series, limit))
      }),
      around: Effect.fn("boards.around")(function* ({ params: { board, playerId }, query }) {
        const of = yield* asked(board, query)
        const each = Number(query.each ?? BoardLimits.aroundRowsDefault.max)
        // The database holds no such text, so that no player has such an id.
        if (!playerId.isWellFormed() || playerId.includes("\0")) return readOf(of, [])
        return readOf(of, yield* boards.around(of.series, { playerId, each }))
      })
    })
  })
)

interface SeriesQuery {
  readonly project: string
  readonly period?: string
  readonly bucket?: string
}

interface SeriesAsked {
  readonly declared: Board
  readonly series: SeriesName
}

const seriesAsked = Effect.fnUntraced(function* (
  { projectId, boards }: ProjectRow,
  board: string,
  { period, bucket }: SeriesQuery
) {
  const declared = Object.hasOwn(boards, board) ? boards[board] : undefined
  if (declared === undefined) return yield* boardUnknown(board)
  if (declared.buckets === true && bucket === undefined) {
    return yield* new BadRequest({ message: bucketMissing })
  }
  if (declared.buckets !== true && bucket !== undefined) {
    return yield* new BadRequest({ message: bucketUnknown })
  }
  const current = periodAt(declared.period, yield* Clock.currentTimeMillis)
  const series = { projectId, board, period: period ?? current.name, bucket: bucket ?? "" }
  return { declared, series }
})

const boardUnknown = (board: string) =>
  new BoardUnknown({
    message: serviceMessage(
      withoutSecrets(`board: the project declares no board ${JSON.stringify(board)}`)
    )
  })

const bucketMissing = "bucket: the board keeps its scores in buckets; name one"
const bucketUnknown = "bucket: the board has no buckets"

const readOf = (
  { declared, series: { board, period } }: SeriesAsked,
  rows: ReadonlyArray<RankedScore>
): BoardRead => ({
  board,
  period: period === "" ? null : period,
  rows: rows.map(({ rank, playerId, key, atMs }) => ({
    rank,
    playerId,
    score: scoreAt(declared, { key }),
    at: isoOf(atMs)
  }))
})

class BoardFull extends Data.TaggedError(RoomRefusals.boardFull.code)<{
  readonly message: string
}> {}

class ScoreInvalid extends Data.TaggedError(RoomRefusals.scoreInvalid.code)<{
  readonly message: string
}> {}

class SubmitInvalid extends Data.TaggedError(RoomRefusals.callInvalid.code)<{
  readonly message: string
}> {}

const scoreFault = `score: must be a whole number from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`

const refusalOf = (why: SubmitRefusal, { board }: RoomSubmit): CallRefusal => {
  switch (why) {
    case "boardUnknown":
      return boardUnknown(board)
    case "bucketMissing":
      return new SubmitInvalid({ message: bucketMissing })
    case "bucketUnknown":
      return new SubmitInvalid({ message: bucketUnknown })
    case "idMissing":
      return new SubmitInvalid({ message: "id: a board of mode sum takes an id with each score" })
    case "boardFull":
      return new BoardFull({
        message: `the project has ${BoardLimits.boardRows.max} scores; remove a board or keep fewer periods`
      })
    case "sumTooLarge":
      return new ScoreInvalid({ message: "score: the sum would leave the range of whole numbers" })
  }
}

/** What room code asks of the noun: `boards.submit`. */
export const boardCalls = {
  submit: answerCall(
    submitCall,
    Effect.fnUntraced(function* (room, { score, player, ...submit }) {
      if (!Number.isSafeInteger(score)) {
        return yield* new ScoreInvalid({ message: serviceMessage(scoreFault) })
      }
      // A -0 ranks as 0.
      const given: RoomSubmit = { ...submit, playerId: player, score: Number(score) + 0 }
      const outcome = yield* (yield* BoardSubmits).submit(room, given)
      if (outcome._tag === "Refused") return yield* Effect.fail(refusalOf(outcome.why, given))
      return { score: outcome.score, changed: outcome.changed }
    })
  )
}
