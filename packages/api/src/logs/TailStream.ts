import type { FollowerQuery, Heard } from "@atrium/actors/logs/LogFollowers"
import type { LogStore } from "@atrium/actors/logs/LogStore"
import type { LogTail } from "@atrium/actors/logs/LogTail"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { type KeptLine, lineIdAt, oldestShown } from "@atrium/domain/logs/LogLine"
import type { TailEvent } from "@atrium/domain/logs/LogsApi"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Effect, Option, Stream } from "effect"

import type { OtherLines, OtherTails } from "./OtherTails.ts"
import { shownLine } from "./ShownLine.ts"

/** Where the lines of a tail come from. */
interface Sources {
  readonly tail: LogTail["Service"]
  readonly others: (typeof OtherTails)["Service"]
  readonly store: LogStore["Service"]
}

interface Wanted extends FollowerQuery {
  readonly projectId: ProjectId
  /** The first line that the reader has not seen; `null` = the last lines in memory. */
  readonly fromId: number | null
}

/**
 * The lines of a project from an id on, and then each as it comes, for as long as one answer may
 * take. Lines before those in memory come from the store. A reader that does not read is told how
 * many lines it has missed. Source: C-332.
 */
export const tailOf = (sources: Sources, wanted: Wanted): Stream.Stream<TailEvent> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const follower = yield* sources.tail.follow(wanted)
      // Others came first since there was a place; the reader asks again and is refused.
      if (follower === null) return Stream.empty
      const nowMs = yield* Clock.currentTimeMillis
      const endsAtMs = nowMs + LogLimits.logTailFor.ms
      const fromId = Math.max(wanted.fromId ?? 0, oldestShown(nowMs))
      const others = yield* sources.others.follow(follower, fromId)
      const before = yield* linesBefore(sources, { wanted, fromId, others })
      const recentId = lineIdAt(nowMs - LogLimits.logTailOverlap.ms)
      const told = new Set(before.lines.filter(({ lineId }) => lineId >= recentId).map(placeOf))
      const live = Stream.paginate(undefined, () =>
        Effect.gen(function* () {
          const leftMs = endsAtMs - (yield* Clock.currentTimeMillis)
          const heard = yield* follower.next(
            Math.min(LogLimits.logTailPing.ms, Math.max(0, leftMs))
          )
          const goesOn = leftMs > 0 && !follower.isOver
          return [eventsOf(heard, told), goesOn ? Option.some(undefined) : Option.none()]
        })
      )
      const first: ReadonlyArray<TailEvent> = [
        ...(before.isWhole ? [] : [missed(null)]),
        ...before.lines.map(lineEvent)
      ]
      // An answer begins with its first event: the reader learns at once that it is followed.
      return Stream.concat(Stream.fromIterable(first.length > 0 ? first : [ping]), live)
    })
  )

const lineEvent = (line: KeptLine): TailEvent => ({
  event: "line",
  id: String(line.lineId),
  data: shownLine(line)
})
const missed = (lines: number | null): TailEvent => ({ event: "missed", data: { lines } })
const ping: TailEvent = { event: "ping", data: "" }

/** @param told the lines that came while those before were read, and were told with them */
const eventsOf = (heard: Heard, told: ReadonlySet<string>): ReadonlyArray<TailEvent> => {
  if (heard.lines.length === 0 && heard.missed === 0) return [ping]
  const lines = heard.lines.filter((line) => !told.has(placeOf(line))).map(lineEvent)
  return heard.missed === 0 ? lines : [...lines, missed(heard.missed)]
}

interface Before {
  readonly wanted: Wanted
  readonly fromId: number
  readonly others: OtherLines
}

/** Lines that came before the follower: from memory, and from the store what memory has no more. */
const linesBefore = Effect.fnUntraced(function* (sources: Sources, before: Before) {
  const { tail, store, others } = sources
  const { wanted, fromId } = before
  const { projectId, roomId, level } = wanted
  const query = { roomId, level, fromId }
  const own = tail.recent(projectId, query)
  const recent = sorted([...own.lines, ...before.others.lines])
  if (wanted.fromId === null) {
    return { lines: recent.slice(-LogLimits.logBuffer.max), isWhole: before.others.isWhole }
  }
  // A runner that has ended may have had lines, which are in the store alone.
  if (own.isWhole && !others.several) return own
  const most = LogLimits.logLines.max
  const stored = yield* store.read(projectId, query, most)
  const known = new Set(recent.map(placeOf))
  const lines = [...stored.filter((line) => !known.has(placeOf(line))), ...recent]
  return { lines: sorted(lines), isWhole: stored.length < most && before.others.isWhole }
})

const sorted = (lines: ReadonlyArray<KeptLine>): ReadonlyArray<KeptLine> =>
  lines.toSorted((one, other) => one.lineId - other.lineId)

const placeOf = ({ roomId, lineId }: KeptLine): string => `${roomId}/${lineId}`
