import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { type BoardPeriod, periodAt } from "@atrium/domain/boards/BoardPeriods"
import type { Board } from "@atrium/domain/boards/Boards"
import { Data } from "effect"

/** A score as room code submits it. */
export interface Submit {
  readonly board: string
  /** `null` = none was named. */
  readonly bucket: string | null
  readonly playerId: string
  /** A whole number within the safe range, and not -0. */
  readonly score: number
  /**
   * Names the submit among all those of its project: a digest of its room, board, bucket, player and
   * id. `null` = it has no id.
   */
  readonly digest: string | null
}

/** A score on a board. The least key ranks first, and of equal keys the earlier one. */
export interface Entry {
  /** The score, or its negative on a board whose higher scores rank first. */
  readonly key: number
  /** Since when the player has this score, Unix milliseconds. */
  readonly atMs: number
}

/** Scores that rank among each other. */
export interface Series {
  readonly board: string
  readonly period: BoardPeriod
  /** `""` = the board has no buckets. */
  readonly bucket: string
}

/** Why a submit was refused. Nothing of it is stored. */
export type SubmitRefusal =
  | "boardUnknown"
  | "bucketMissing"
  | "bucketUnknown"
  | "idMissing"
  | "boardFull"
  | "sumTooLarge"

/** The result of one submit. */
export type SubmitOutcome = Data.TaggedEnum<{
  /** `score`: the player's, as the board now has it, or `null` if it has none. `changed`: by this submit. */
  Taken: { readonly score: number | null; readonly changed: boolean }
  Refused: { readonly why: SubmitRefusal }
}>
export const SubmitOutcome = Data.taggedEnum<SubmitOutcome>()

/** A submit of which the declaration of its board is known. */
export interface PlacedSubmit extends Submit {
  readonly declared: Board
  readonly series: Series
}

/** What a submit may change: the scores and ids that it meets, and how many scores the project has. */
export interface ScoreBook {
  readonly rows: number
  /** By {@link entryKey}. */
  readonly entries: ReadonlyMap<string, Entry>
  readonly digests: ReadonlySet<string>
}

/** Finds the scores among which a submit ranks, or says why there are none. */
export const placed = (
  submit: Submit,
  declared: Board | undefined,
  nowMs: number
): PlacedSubmit | SubmitRefusal => {
  if (declared === undefined) return "boardUnknown"
  const { buckets = false, mode = "best" } = declared
  if (buckets && submit.bucket === null) return "bucketMissing"
  if (!buckets && submit.bucket !== null) return "bucketUnknown"
  if (mode === "sum" && submit.digest === null) return "idMissing"
  const period = periodAt(declared.period, nowMs)
  const series = { board: submit.board, period, bucket: submit.bucket ?? "" }
  return { ...submit, declared, series }
}

/** The place of a player's score. */
export const entryKey = (
  { board, period, bucket }: Series,
  { playerId }: Pick<Submit, "playerId">
): string => `${board} ${period.name} ${bucket} ${playerId}`

/** Counts one submit. Spec: Leaderboard limits; D-34, D-52, C-580. */
export const step = (
  book: ScoreBook,
  { nowMs, ...submit }: PlacedSubmit & { readonly nowMs: number }
): readonly [ScoreBook, SubmitOutcome] => {
  const { digest, declared } = submit
  const at = entryKey(submit.series, submit)
  const before = book.entries.get(at) ?? null
  const scoreOf = (entry: Entry | null) => (entry === null ? null : scoreAt(declared, entry))
  if (digest !== null && book.digests.has(digest)) {
    return [book, SubmitOutcome.Taken({ score: scoreOf(before), changed: false })]
  }
  const score = scoreAfter(submit, before)
  if (!Number.isSafeInteger(score)) return [book, SubmitOutcome.Refused({ why: "sumTooLarge" })]
  if (before === null && book.rows >= BoardLimits.boardRows.max) {
    return [book, SubmitOutcome.Refused({ why: "boardFull" })]
  }
  const key = keyOf(declared, score)
  const changed = before?.key !== key
  const next = {
    rows: before === null ? book.rows + 1 : book.rows,
    entries: changed ? new Map(book.entries).set(at, { key, atMs: nowMs }) : book.entries,
    digests: digest === null ? book.digests : new Set(book.digests).add(digest)
  }
  return [next, SubmitOutcome.Taken({ score, changed })]
}

/** The player's score after a submit of another. */
const scoreAfter = ({ declared, score }: PlacedSubmit, before: Entry | null): number => {
  if (before === null) return score
  const old = scoreAt(declared, before)
  switch (declared.mode ?? "best") {
    case "best":
      return keyOf(declared, score) < before.key ? score : old
    case "sum":
      return old + score
    case "last":
      return score
  }
}

const keyOf = ({ direction }: Board, score: number): number =>
  direction === "lower" || score === 0 ? score : -score

/** The score of an entry of a board. */
export const scoreAt = (board: Board, { key }: Pick<Entry, "key">): number => keyOf(board, key)
