import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import type { Board, Boards } from "@atrium/domain/boards/Boards"
import type { BoardRead } from "@atrium/domain/boards/BoardsApi"
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { type CommandFailure, hinted, Misused } from "../CommandFailure.ts"
import { openOwn, type Target } from "../projects/CommandProject.ts"
import { idArgument, json, target } from "../projects/ProjectParameters.ts"
import { ageText } from "../terminal/Ages.ts"
import { confirmed, yes } from "../terminal/Confirmation.ts"
import { printable } from "../terminal/Printable.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

/** With what its subcommands take, before or after their names. */
const group = Command.make("boards").pipe(Command.withSharedFlags(target))

const board = idArgument("board", "The name of the board")

const series = {
  period: Flag.String("period").pipe(
    Flag.withDescription("A past period, such as 2026-W48; default: the current one"),
    Flag.optional
  ),
  bucket: Flag.String("bucket").pipe(
    Flag.withDescription("The bucket, on a board that has buckets"),
    Flag.optional
  )
}

const list = Command.make(
  "list",
  { json },
  Effect.fn("atrium.boards.list")(function* (input) {
    const { declared } = yield* openBoards(yield* group)
    const rows = Object.entries(yield* declared).map(rowOf)
    if (input.json) return yield* Console.log(JSON.stringify(rows))
    if (rows.length === 0) {
      return yield* Console.error("no boards: declare them in service.json, and deploy")
    }
    yield* Console.log(yield* tableFor(rows, boardColumns))
  })
).pipe(Command.withDescription("List the boards of a project, and how each one ranks"))

const top = Command.make(
  "top",
  {
    board,
    ...series,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Scores at most, up to ${BoardLimits.topRows.max}`),
      Flag.withDefault(BoardLimits.topRowsDefault.max)
    ),
    json
  },
  Effect.fn("atrium.boards.top")(function* (input) {
    const { ask, boards, project } = yield* openOwn(yield* group)
    const query = { ...seriesOf(project.id, input), limit: String(input.limit) }
    const read = ask(boards.top({ params: { board: input.board }, query }))
    yield* show(yield* known(read), input.json)
  })
).pipe(
  Command.withDescription("Show the first scores of a board"),
  Command.withExamples([{ command: "atrium boards top kills --limit 3" }])
)

const around = Command.make(
  "around",
  {
    board,
    player: idArgument("player", "Id of the player: pl_…, or one of your own"),
    ...series,
    each: Flag.Int("each").pipe(
      Flag.withDescription(`Neighbours on each side, up to ${BoardLimits.aroundRows.max}`),
      Flag.withDefault(BoardLimits.aroundRowsDefault.max)
    ),
    json
  },
  Effect.fn("atrium.boards.around")(function* (input) {
    const { ask, boards, project } = yield* openOwn(yield* group)
    const query = { ...seriesOf(project.id, input), each: String(input.each) }
    const params = { board: input.board, playerId: input.player }
    yield* show(yield* known(ask(boards.around({ params, query }))), input.json)
  })
).pipe(Command.withDescription("Show a player's score between its neighbours"))

const remove = Command.make(
  "delete",
  { board, yes, json },
  Effect.fn("atrium.boards.delete")(function* (input) {
    const { without, demand, project } = yield* openBoards(yield* group)
    yield* demand(input.board)
    yield* confirmed(
      `the board ${printable(input.board)} of ${project.id} goes with all its scores, for good; a project file that declares it makes it again at the next deploy, without scores`,
      input.yes
    )
    yield* without(input.board)
    yield* done(input, "deleted")
  })
).pipe(Command.withDescription("Delete a board and all its scores"))

const reset = Command.make(
  "reset",
  { board, yes, json },
  Effect.fn("atrium.boards.reset")(function* (input) {
    const { without, set, demand, project } = yield* openBoards(yield* group)
    yield* demand(input.board)
    yield* confirmed(
      `the board ${printable(input.board)} of ${project.id} loses all its scores, those of past periods too, for good`,
      input.yes
    )
    const { kept, removed } = yield* without(input.board)
    yield* set({ ...kept, [input.board]: removed }).pipe(whole(input.board, removed))
    yield* done(input, "reset")
  })
).pipe(Command.withDescription("Remove all scores of a board, and keep the board"))

/** `atrium boards`: for the account that has the project; nothing but room code submits scores. Source: C-650. */
export const boards = group.pipe(Command.withSubcommands([list, top, around, remove, reset]))

/** The boards that a project declares, and how to declare others in their place. */
const openBoards = Effect.fnUntraced(function* (input: Target) {
  const { ask, projects, project } = yield* openOwn(input)
  const request = { params: { id: project.id }, query: {} }
  const record = ask(projects.read(request))
  const set = (declared: Boards) =>
    Effect.flatMap(record, ({ name }) =>
      ask(projects.set({ ...request, payload: { name, boards: declared } }))
    )
  const demand = (name: string) =>
    Effect.flatMap(record, ({ boards: declared }) => demanded(declared, name))
  /** Reads anew: somebody may have declared a board while the question was on the screen. */
  const without = Effect.fnUntraced(function* (name: string) {
    const { boards: declared } = yield* record
    const removed = yield* demanded(declared, name)
    const { [name]: _, ...kept } = declared
    yield* set(kept)
    return { kept, removed }
  })
  return { declared: Effect.map(record, (each) => each.boards), set, demand, without, project }
})

const demanded = (declared: Boards, name: string) => {
  const found = Object.hasOwn(declared, name) ? declared[name] : undefined
  return found === undefined
    ? Effect.fail(new Misused({ message: `${JSON.stringify(name)} is no board: ${listHint}` }))
    : Effect.succeed(found)
}

const listHint = "`atrium boards list` shows those that there are"

const known = <A, R>(read: Effect.Effect<A, CommandFailure, R>) =>
  hinted("E_BOARD_UNKNOWN", listHint)(read)

/** What to do when the board is gone and could not be declared again. */
const whole =
  (name: string, removed: Board) =>
  <A, R>(effect: Effect.Effect<A, CommandFailure, R>) =>
    Effect.tapError(effect, () =>
      Console.error(
        `the scores are gone, and so is the board: declare it again in service.json, and deploy: ${JSON.stringify({ [name]: removed })}`
      )
    )

interface Done {
  readonly board: string
  readonly json: boolean
}

const done = (input: Done, what: "deleted" | "reset") =>
  Console.log(
    input.json
      ? JSON.stringify({ board: input.board, [what]: true })
      : `${what} ${printable(input.board)}`
  )

interface SeriesInput {
  readonly period: Option.Option<string>
  readonly bucket: Option.Option<string>
}

const seriesOf = (project: string, { period, bucket }: SeriesInput) => ({
  project,
  ...(Option.isSome(period) ? { period: period.value } : {}),
  ...(Option.isSome(bucket) ? { bucket: bucket.value } : {})
})

interface BoardRow {
  readonly board: string
  readonly direction: Board["direction"]
  readonly mode: NonNullable<Board["mode"]>
  /** `null` = one for all time. */
  readonly period: string | null
  readonly buckets: boolean
  /** `null` = the board has no periods. */
  readonly keep: number | null
}

const rowOf = ([name, declared]: readonly [string, Board]): BoardRow => {
  const { direction, mode = "best", period = null, buckets = false } = declared
  const keep = period === null ? null : (declared.keep ?? BoardLimits.boardKeepDefault.max)
  return { board: name, direction, mode, period, buckets, keep }
}

const boardColumns: ReadonlyArray<Column<BoardRow>> = [
  { title: "BOARD", cell: (row) => row.board, weight: 9 },
  { title: "FIRST", cell: ({ direction }) => direction, weight: 8 },
  { title: "MODE", cell: ({ mode }) => mode, weight: 7 },
  { title: "PERIOD", cell: ({ period }) => period ?? "all time", weight: 6 },
  { title: "BUCKETS", cell: ({ buckets }) => (buckets ? "yes" : "no"), weight: 4 },
  { title: "KEEP", cell: ({ keep }) => (keep === null ? "" : String(keep)), weight: 3 }
]

const show = Effect.fnUntraced(function* (read: BoardRead, asJson: boolean) {
  if (asJson) return yield* Console.log(JSON.stringify(read))
  if (read.period !== null) yield* Console.error(`period ${read.period}`)
  if (read.rows.length === 0) return yield* Console.error("no scores")
  yield* Console.log(yield* tableFor(read.rows, scoreColumns(yield* Clock.currentTimeMillis)))
})

const scoreColumns = (nowMs: number): ReadonlyArray<Column<BoardRead["rows"][number]>> => [
  { title: "RANK", cell: ({ rank }) => String(rank), weight: 9 },
  { title: "PLAYER", cell: ({ playerId }) => playerId, weight: 9 },
  { title: "SCORE", cell: ({ score }) => String(score), weight: 9 },
  { title: "SINCE", cell: ({ at }) => ageText(at, nowMs, ""), weight: 3 }
]
