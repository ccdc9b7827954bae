import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { Data, Schema } from "effect"

import { firstPlace } from "../process/stacks/StackText.ts"

/** A kind of failure: those of one place of the code, else of one text. */
const Kind = Schema.Struct({
  key: Schema.String,
  message: Schema.String,
  /** Empty = the error has no stack. */
  stack: Schema.String
})
type Kind = typeof Kind.Type

/** The first failure of a room; `kind` is a place in the list of kinds, or -1 past its limit. */
const Failure = Schema.Struct({
  roomId: Schema.String,
  /** `null` = the room's snapshot. */
  saveId: Schema.NullOr(Schema.String),
  version: Schema.Int,
  kind: Schema.Int
})
type Failure = typeof Failure.Type

/** The changes of one room's state. */
export const RoomDiff = Schema.Struct({
  roomId: Schema.String,
  type: Schema.String,
  version: Schema.Int,
  lines: Schema.Array(Schema.String)
})
export type RoomDiff = typeof RoomDiff.Type

/** What a rehearsal has found so far. Source: C-712. */
export const RehearsalReport = Schema.Struct({
  rooms: Schema.Int,
  /** Rooms that changed meanwhile, and were rehearsed once more. */
  again: Schema.Int,
  states: Schema.Int,
  skipped: Schema.Int,
  bytesBefore: Schema.Int,
  bytesAfter: Schema.Int,
  wakes: Schema.Struct({
    count: Schema.Int,
    totalMs: Schema.Number,
    maxMs: Schema.Number,
    roomId: Schema.NullOr(Schema.String)
  }),
  kinds: Schema.Array(Kind),
  failures: Schema.Array(Failure),
  diffs: Schema.Array(RoomDiff)
})
export type RehearsalReport = typeof RehearsalReport.Type

export const emptyReport: RehearsalReport = {
  rooms: 0,
  again: 0,
  states: 0,
  skipped: 0,
  bytesBefore: 0,
  bytesAfter: 0,
  wakes: { count: 0, totalMs: 0, maxMs: 0, roomId: null },
  kinds: [],
  failures: [],
  diffs: []
}

/** The outcome for one stored state. */
export type StateOutcome = Data.TaggedEnum<{
  /** No migration leads it on. */
  Skipped: {}
  Led: { readonly bytesBefore: number; readonly bytesAfter: number; readonly ms: number }
  Failed: {
    readonly saveId: string | null
    readonly version: number
    /** A message, and perhaps a stack below it. */
    readonly why: string
  }
}>
export const StateOutcome = Data.taggedEnum<StateOutcome>()

/** The outcome for a room: its snapshot first, then its saves. */
export interface RoomOutcome {
  readonly roomId: string
  readonly states: ReadonlyArray<StateOutcome>
  /** It is one of the rooms of the total: its snapshot is of a room type of the bundle. */
  readonly isCounted: boolean
  /** `null` = no changes of this room are shown. */
  readonly diff: RoomDiff | null
}

/**
 * The report with one room more. A room that changed meanwhile is rehearsed once more: what it failed of before is
 * forgotten, and its states are not counted twice.
 */
export const withRoom = (
  report: RehearsalReport,
  outcome: RoomOutcome,
  isAgain: boolean
): RehearsalReport => {
  const counted = isAgain
    ? { ...report, again: report.again + 1 }
    : outcome.states.reduce(
        (sum, state) => withState(sum, state, outcome.roomId),
        outcome.isCounted ? { ...report, rooms: report.rooms + 1 } : report
      )
  return withDiff(withFailure(counted, outcome), outcome)
}

/** The report without the failures of rooms that are gone. */
export const withoutRooms = (
  report: RehearsalReport,
  gone: ReadonlySet<string>
): RehearsalReport => ({
  ...report,
  failures: report.failures.filter(({ roomId }) => !gone.has(roomId))
})

const withState = (
  report: RehearsalReport,
  state: StateOutcome,
  roomId: string
): RehearsalReport => {
  switch (state._tag) {
    case "Skipped":
      return { ...report, skipped: report.skipped + 1 }
    case "Failed":
      return { ...report, states: report.states + 1 }
    case "Led": {
      const { count, totalMs, maxMs } = report.wakes
      const longest = state.ms > maxMs ? { maxMs: state.ms, roomId } : {}
      return {
        ...report,
        states: report.states + 1,
        bytesBefore: report.bytesBefore + state.bytesBefore,
        bytesAfter: report.bytesAfter + state.bytesAfter,
        wakes: { ...report.wakes, count: count + 1, totalMs: totalMs + state.ms, ...longest }
      }
    }
  }
}

const withFailure = (report: RehearsalReport, { roomId, states }: RoomOutcome): RehearsalReport => {
  const others = report.failures.filter((failure) => failure.roomId !== roomId)
  const first = states.find((state) => state._tag === "Failed")
  if (first?._tag !== "Failed") return { ...report, failures: others }
  const { saveId, version, why } = first
  const found = kindOf(why)
  const place = report.kinds.findIndex(({ key }) => key === found.key)
  const isFull = report.kinds.length >= MigrationLimits.rehearsalKinds.max
  const kinds = place < 0 && !isFull ? [...report.kinds, found] : report.kinds
  const kind = kinds.findIndex(({ key }) => key === found.key)
  return { ...report, kinds, failures: [...others, { roomId, saveId, version, kind }] }
}

const withDiff = (report: RehearsalReport, { diff }: RoomOutcome): RehearsalReport =>
  diff === null || !wantsDiff(report, diff.roomId)
    ? report
    : { ...report, diffs: [...report.diffs, diff] }

/** Whether the changes of one more room are to be shown. */
export const wantsDiff = ({ diffs }: RehearsalReport, roomId: string): boolean =>
  diffs.length < MigrationLimits.rehearsalDiffs.max && diffs.every((diff) => diff.roomId !== roomId)

const kindOf = (why: string): Kind => {
  const [message = "", ...below] = why.split("\n")
  const stack = below.join("\n")
  // One line of code fails with many texts: those with names and numbers of their rooms.
  return { key: firstPlace(stack) ?? message.replaceAll(/\d+/g, "#"), message, stack }
}

/** A kind of failure with the rooms that have it. */
export interface FailedKind extends Pick<Kind, "message" | "stack"> {
  readonly first: Failure
  readonly rooms: number
}

const others = { message: "failures of further kinds", stack: "" }

/** The kinds of failures, with a room that shows each. A kind whose rooms all pass now is left out. */
export const failedKinds = ({ kinds, failures }: RehearsalReport): ReadonlyArray<FailedKind> =>
  [...kinds, others].flatMap(({ message, stack }, at) => {
    const place = at === kinds.length ? -1 : at
    const those = failures.filter(({ kind }) => kind === place)
    const [first] = those
    return first === undefined ? [] : [{ message, stack, first, rooms: those.length }]
  })

/** The rooms whose newest state fails. A room of which only a save fails is left out. */
export const failedRooms = ({ failures }: RehearsalReport): ReadonlyArray<string> =>
  failures.filter(({ saveId }) => saveId === null).map(({ roomId }) => roomId)

/** So many rooms fail that no further one is worth its time. */
export const isFullOfFailures = ({ failures }: RehearsalReport): boolean =>
  failures.length >= MigrationLimits.rehearsalFailures.max
