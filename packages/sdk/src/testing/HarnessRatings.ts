import { type Rating, startingRating } from "@atrium/wire/ratings/Glicko"
import { ratedByReport } from "@atrium/wire/ratings/RatedReport"
import {
  defaultQueue,
  readFault,
  type ReadPayload,
  reportFault,
  type ReportPayload
} from "@atrium/wire/ratings/RatingCall"

import { type HarnessCall, refuseFor } from "./HarnessCalls.ts"

/** Skill ratings in memory. Every queue is declared, and nothing is forgotten. */
export class HarnessRatings {
  readonly #ratings = new Map<string, Rating>()
  readonly #reports = new Set<string>()
  readonly #queue: string

  /** @param queue of the room's type; `null` = it names none */
  constructor(queue: string | null) {
    this.#queue = queue ?? defaultQueue
  }

  readonly calls: Readonly<Record<string, HarnessCall>> = {
    "ratings.report": {
      answer: (payload: ReportPayload) => {
        refuseFor(reportFault(payload))
        return this.#report(payload)
      }
    },
    "ratings.get": {
      answer: (payload: ReadPayload) => {
        refuseFor(readFault(payload))
        return { ratings: this.#of(payload.queue, payload.players) }
      }
    }
  }

  #report({ id, queue, results }: ReportPayload) {
    const players = results.map(({ player }) => player)
    const counted = !this.#reports.has(id)
    if (counted) {
      const before = this.#of(queue, players)
      const after = ratedByReport(
        results.map(({ place }, at) => ({ ...(before[at] ?? startingRating), place }))
      )
      for (const [at, player] of players.entries()) {
        this.#ratings.set(this.#key(queue, player), after[at] ?? startingRating)
      }
      this.#reports.add(id)
    }
    return { counted, ratings: this.#of(queue, players) }
  }

  #of(queue: string | null, players: ReadonlyArray<string>) {
    return players.map((player) => ({
      player,
      ...(this.#ratings.get(this.#key(queue, player)) ?? startingRating)
    }))
  }

  #key(queue: string | null, player: string): string {
    return `${queue ?? this.#queue}/${player}`
  }
}
