import { scoreTable } from "@atrium/actors/boards/MemoryBoards"
import type { PlayedAnswer } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { Schema } from "effect"

import { outcomeOf } from "./CallOutcome.ts"
import { pointsBoard } from "./GameProjects.ts"
import { mayBeForgotten, mayRepeat, type Told, toldNow } from "./Repeats.ts"
import { type WatchedGames, watchRows } from "./TableWatch.ts"
import type { Timeline } from "./Timeline.ts"
import { Violation } from "./Violation.ts"

/** A sum of so many different powers of two is a whole number. */
const scoresMax = 50

interface Score extends Told {
  readonly room: string
  readonly who: string
  /** Its place among the player's scores: the score is that power of two. */
  readonly place: number
}

const readAnswer = Schema.decodeUnknownSync(Schema.Struct({ score: Schema.NullOr(Schema.Int) }))

/**
 * Scores of a board that sums. Each score of a player is another power of two: the sum says of each how often it
 * counts. What was acknowledged counts once, what was refused does not, and all else once or not at all.
 */
export class ScoreWatch {
  readonly #timeline: Timeline
  readonly #checked: (check: () => void) => void
  readonly #nextCall: () => number
  readonly #calls = new Map<number, Score>()
  /** By project and player. */
  readonly #scores = new Map<string, Array<Score>>()
  readonly #stored = new Map<string, number>()
  acknowledged = 0

  constructor(watched: WatchedGames, nextCall: () => number) {
    this.#timeline = watched.timeline
    this.#checked = (check) => watched.checked(check)
    this.#nextCall = nextCall
    watchRows(scoreTable.rowsIn(watched.tables), (_key, { projectId, playerId, score }) => {
      const who = `${projectId}/${playerId}`
      this.#stored.set(who, score)
      this.#checked(() => this.#check(who))
    })
  }

  /** A room submits a new score of the player; `null` = the player has enough. */
  submit(room: string, who: string) {
    const scores = this.#scores.get(who) ?? []
    if (scores.length >= scoresMax) return null
    const score = { ...toldNow(this.#timeline), room, who, place: scores.length }
    this.#scores.set(who, [...scores, score])
    return this.#frameOf(score)
  }

  /** A room submits one of its scores again; `null` = it has none. */
  again(room: string, pick: (scores: ReadonlyArray<Score>) => Score) {
    const own = [...this.#scores.values()]
      .flat()
      .filter((score) => score.room === room && mayRepeat(this.#timeline, score))
    if (own.length === 0) return null
    const score = pick(own)
    score.sent++
    return this.#frameOf(score)
  }

  #frameOf(score: Score) {
    const call = this.#nextCall()
    this.#calls.set(call, score)
    const player = score.who.slice(score.who.indexOf("/") + 1)
    const payload = {
      board: pointsBoard,
      player,
      score: 2 ** score.place,
      bucket: null,
      id: `score ${score.place}`
    }
    return { does: "call", call, name: "boards.submit", payload } as const
  }

  answered(answer: PlayedAnswer): void {
    const score = this.#calls.get(answer.call)
    if (score === undefined) return
    this.#calls.delete(answer.call)
    const outcome = outcomeOf(answer)
    if (outcome === "refused") score.refused++
    if (outcome !== "done") return
    if (!score.acknowledged) this.acknowledged++
    score.acknowledged = true
    const sum = readAnswer(answer.answer?.value).score ?? 0
    this.#checked(() => {
      this.#check(score.who)
      if (!counts(sum, score)) {
        throw new Violation("scores", `${score.who} is told ${sum}, without score ${score.place}`)
      }
    })
  }

  #check(who: string): void {
    const scores = this.#scores.get(who) ?? []
    if (scores.some((score) => mayBeForgotten(this.#timeline, score))) return
    const sum = this.#stored.get(who) ?? 0
    for (const score of scores) {
      if (score.acknowledged && !counts(sum, score)) {
        throw new Violation("scores", `${who} has ${sum}: score ${score.place} does not count once`)
      }
      if (score.refused === score.sent && counts(sum, score)) {
        throw new Violation("scores", `${who} has ${sum}: score ${score.place} was refused`)
      }
    }
    if (sum >= 2 ** scores.length) {
      throw new Violation("scores", `${who} has ${sum} of ${scores.length} scores`)
    }
  }
}

const counts = (sum: number, { place }: Score): boolean => Math.floor(sum / 2 ** place) % 2 === 1
