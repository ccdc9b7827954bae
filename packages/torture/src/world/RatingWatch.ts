import type { PlayedAnswer } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { ratingTable, reportTable } from "@atrium/actors/ratings/MemoryRatings"
import { movedBy } from "@atrium/actors/ratings/RatingReport"
import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import { afterIdle, type Rating } from "@atrium/wire/ratings/Glicko"

import { outcomeOf } from "./CallOutcome.ts"
import { mayBeForgotten, mayRepeat, type Told, toldNow } from "./Repeats.ts"
import { type WatchedGames, watchRows } from "./TableWatch.ts"
import type { Timeline } from "./Timeline.ts"
import { Violation } from "./Violation.ts"

interface Report extends Told {
  readonly room: string
  /** The key of its row. */
  readonly key: string
  readonly id: string
  readonly queue: string
  readonly results: ReadonlyArray<{ readonly player: string; readonly place: number }>
}

interface Counted {
  readonly report: Report
  readonly atMs: number
}

interface Rated extends Rating {
  readonly atMs: number
}

/**
 * Reports of ratings: each id of a room counts once, and the ratings are those that follow from the reports that
 * counted, in their order.
 */
export class RatingWatch {
  readonly #timeline: Timeline
  readonly #tables: MemoryTables
  readonly #checked: (check: () => void) => void
  readonly #nextCall: () => number
  readonly #calls = new Map<number, Report>()
  /** By the keys of their rows. */
  readonly #reports = new Map<string, Report>()
  readonly #counted: Array<Counted> = []
  #ids = 0
  acknowledged = 0

  constructor(watched: WatchedGames, nextCall: () => number) {
    this.#timeline = watched.timeline
    this.#tables = watched.tables
    this.#checked = (check) => watched.checked(check)
    this.#nextCall = nextCall
    watchRows(reportTable.rowsIn(watched.tables), (key, atMs) =>
      this.#checked(() => this.#counts(key, atMs))
    )
  }

  /** A room reports a game of these players, the best first. */
  report(
    room: string,
    { queue, players }: Pick<Report, "queue"> & { readonly players: ReadonlyArray<string> }
  ) {
    const id = `game ${++this.#ids}`
    const results = players.map((player, at) => ({ player, place: at + 1 }))
    const report = { ...toldNow(this.#timeline), room, key: `${room}/${id}`, id, queue, results }
    this.#reports.set(report.key, report)
    return this.#frameOf(report)
  }

  /** A room reports one of its games again; `null` = it has none. */
  again(room: string, pick: (reports: ReadonlyArray<Report>) => Report) {
    const own = [...this.#reports.values()].filter(
      (report) => report.room === room && mayRepeat(this.#timeline, report)
    )
    if (own.length === 0) return null
    const report = pick(own)
    report.sent++
    return this.#frameOf(report)
  }

  #frameOf(report: Report) {
    const call = this.#nextCall()
    this.#calls.set(call, report)
    const { id, queue, results } = report
    return { does: "call", call, name: "ratings.report", payload: { id, queue, results } } as const
  }

  #counts(key: string, atMs: number): void {
    const report = this.#reports.get(key)
    if (report === undefined) throw new Violation("ratings", `nobody reported ${key}`)
    if (this.#hasCounted(report) && !mayBeForgotten(this.#timeline, report)) {
      throw new Violation("ratings", `${key} counts twice`)
    }
    this.#counted.push({ report, atMs })
  }

  #hasCounted(report: Report): boolean {
    return this.#counted.some((counted) => counted.report === report)
  }

  answered(answer: PlayedAnswer): void {
    const report = this.#calls.get(answer.call)
    if (report === undefined) return
    this.#calls.delete(answer.call)
    const outcome = outcomeOf(answer)
    if (outcome === "refused") report.refused++
    if (outcome !== "done") return
    if (!report.acknowledged) this.acknowledged++
    report.acknowledged = true
    this.#checked(() => {
      if (!this.#hasCounted(report)) throw new Violation("ratings", `${report.key} does not count`)
    })
  }

  /** The ratings are those of the reports that counted. */
  check(): void {
    const expected = new Map<string, Rated>()
    for (const { report, atMs } of this.#counted) {
      const keyOf = (player: string) => `${projectOf(report)}/${report.queue}/${player}`
      const before = new Map(
        report.results.flatMap(({ player }) => {
          const rated = expected.get(keyOf(player))
          return rated === undefined ? [] : [[player, afterIdle(rated, atMs - rated.atMs)]]
        })
      )
      for (const [player, rating] of movedBy(report, before)) {
        expected.set(keyOf(player), { ...rating, atMs })
      }
    }
    for (const [key, { rating }] of ratingTable.rowsIn(this.#tables)) {
      const due = expected.get(key)?.rating
      expected.delete(key)
      if (due === rating) continue
      throw new Violation("ratings", `${key} is rated ${rating}, and the reports say ${due}`)
    }
    for (const [key, { rating }] of expected) {
      throw new Violation("ratings", `${key} has no rating, and the reports say ${rating}`)
    }
  }
}

const projectOf = ({ room }: Report): string => room.slice(0, room.indexOf("/"))
