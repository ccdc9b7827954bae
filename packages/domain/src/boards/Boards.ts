import { Schema } from "effect"

import { declarations, Flag } from "../projects/Declarations.ts"
import { wholeNumber } from "../shared/WholeNumber.ts"
import { BoardLimits } from "./BoardLimits.ts"

const oneDirection = "must be higher or lower"
const season = new RegExp(
  `^(?:daily|weekly|monthly|season:[a-z0-9._-]{1,${BoardLimits.seasonNameChars.max}})$`,
  // Without it the pattern would not be in the API's description.
  "u"
)
const oneMode = "must be best, sum or last"
const onePeriod = "must be daily, weekly, monthly or season:<name>"

/** One board as `service.json` declares it. Spec: Project file, boards; D-34. */
export const Board = Schema.Struct({
  /** Which score ranks first. */
  direction: Schema.Literals(["higher", "lower"])
    .annotate({ message: oneDirection })
    .pipe(Schema.annotateKey({ messageMissingKey: oneDirection })),
  /** Scores are kept apart by it; none = one board for all time. */
  period: Schema.optionalKey(
    Schema.String.annotate({ message: onePeriod }).check(
      Schema.isPattern(season, { message: onePeriod })
    )
  ),
  /** Scores are kept apart by named buckets; `false` when nothing is said. */
  buckets: Schema.optionalKey(Flag),
  /** Past periods that are kept; 12 when nothing is said. */
  keep: Schema.optionalKey(wholeNumber(BoardLimits.boardKeep)),
  /** What a further score of the same player does; `best` when nothing is said. Source: D-52. */
  mode: Schema.optionalKey(Schema.Literals(["best", "sum", "last"]).annotate({ message: oneMode }))
}).annotate({ message: "must be a board: an object" })
export type Board = typeof Board.Type

/** A project's boards by name. Spec: Project file, boards. */
export const Boards = declarations(Board, {
  entries: BoardLimits.boards.max,
  nameChars: BoardLimits.boardNameChars.max,
  noun: "boards"
})
export type Boards = typeof Boards.Type
