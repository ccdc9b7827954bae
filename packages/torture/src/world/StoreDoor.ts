import { type MemoryDatabase, MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import type { Chance } from "@atrium/api/testing/Chance"
import { Effect } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

import type { Host } from "./Host.ts"
import type { Timeline } from "./Timeline.ts"

const latencyMsMax = 12

/** The store did not do what it was asked, or its answer got lost. */
export class Away {
  readonly because: string

  constructor(because: string) {
    this.because = because
  }
}

/** The tables of a world; a wrong world counts its epochs in another way. */
class CountedTables extends MemoryTables {
  readonly #nextEpoch: (last: number) => number
  #epoch = 0

  constructor(nextEpoch: (last: number) => number) {
    super()
    this.#nextEpoch = nextEpoch
  }

  override next(sequence: Parameters<MemoryTables["next"]>[0]): number {
    if (sequence !== "rooms.epoch") return super.next(sequence)
    this.#epoch = this.#nextEpoch(this.#epoch)
    return this.#epoch
  }
}

interface Parts {
  readonly timeline: Timeline
  readonly chance: Chance
  nextEpoch(last: number): number
  /** For so long queries may fail or wait. */
  troubled(ms: number): void
}

/**
 * The way to the database and back: a query takes its time, stalls, and fails before or after it was
 * done. A query that was sent arrives, whatever becomes of its sender.
 */
export class StoreDoor {
  readonly tables: MemoryTables
  readonly #timeline: Timeline
  readonly #chance: Chance
  readonly #troubled: (ms: number) => void
  #awayUntilMs = 0
  #stalledUntilMs = 0
  /** One in so many queries fails; 0 = none. */
  #failsOneIn = 0

  constructor({ timeline, chance, nextEpoch, troubled }: Parts) {
    this.#troubled = troubled
    this.tables = new CountedTables(nextEpoch)
    this.#timeline = timeline
    this.#chance = chance
  }

  /** Every query fails at once for so long. */
  goAway(ms: number): void {
    this.#awayUntilMs = this.#timeline.machineMs + ms
    this.#troubled(ms)
  }

  /** One in so many queries fails for so long. */
  flicker(oneIn: number, ms: number): void {
    this.#failsOneIn = oneIn
    this.#timeline.after(ms, () => (this.#failsOneIn = 0))
    this.#troubled(ms)
  }

  /** Queries wait for so long. */
  stall(ms: number): void {
    this.#stalledUntilMs = this.#timeline.machineMs + ms
    this.#troubled(ms)
  }

  mend(): void {
    this.#failsOneIn = 0
    this.#awayUntilMs = 0
    this.#stalledUntilMs = 0
  }

  get #isAway(): boolean {
    return this.#timeline.machineMs < this.#awayUntilMs
  }

  /** One transaction for a host, in one moment of the database. */
  asked<A>(host: Host, transaction: () => A): Effect.Effect<A, Away> {
    return Effect.callback<A, Away>((resume) => {
      const stalledMs = Math.max(0, this.#stalledUntilMs - this.#timeline.machineMs)
      const thereMs = stalledMs + this.#chance.below(latencyMsMax)
      const fails = this.#failsOneIn > 0 && this.#chance.one(this.#failsOneIn)
      const failsBefore = fails && this.#chance.one(2)
      const answer = (effect: Effect.Effect<A, Away>): void => {
        host.after(this.#chance.below(latencyMsMax), () => resume(effect))
      }
      this.#timeline.after(thereMs, () => {
        if (failsBefore || this.#isAway) return answer(Effect.fail(new Away("the store is away")))
        const done = attempt(transaction)
        answer(fails ? Effect.fail(new Away("the answer is lost")) : done)
      })
    })
  }

  /** The database of one host's stores: an outage is the defect that the SQL stores die of. */
  of(host: Host): MemoryDatabase["Service"] {
    return {
      tables: this.tables,
      ask: (_name, transaction) =>
        Effect.catch(this.asked(host, transaction), ({ because }) =>
          Effect.die(new SqlError({ reason: new ConnectionError({ cause: new Error(because) }) }))
        )
    }
  }
}

const attempt = <A>(transaction: () => A): Effect.Effect<A> => {
  try {
    return Effect.succeed(transaction())
  } catch (error) {
    return Effect.die(error)
  }
}
