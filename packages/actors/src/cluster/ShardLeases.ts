import { Context } from "effect"

/**
 * The span in which a runner may speak for the rooms of one shard. A lease that is over stays over: the
 * runner may take the shard again, and the rooms that it starts then have the next lease.
 */
export class Lease {
  readonly #nowMs: () => number
  #endsAtMs: number

  constructor(endsAtMs: number, nowMs: () => number) {
    this.#endsAtMs = endsAtMs
    this.#nowMs = nowMs
  }

  /** One comparison: every frame of a room asks. */
  get over(): boolean {
    return this.#endsAtMs !== Infinity && this.#nowMs() >= this.#endsAtMs
  }

  renew(endsAtMs: number): void {
    if (!this.over) this.#endsAtMs = Math.max(this.#endsAtMs, endsAtMs)
  }

  end(): void {
    this.#endsAtMs = -Infinity
  }
}

/** The lease of a runner that is alone: no other runner could take its rooms. */
export const endless = new Lease(Infinity, () => 0)

interface LeaseClock {
  /** The span after which a lock may be another runner's, from the question that confirmed it on. */
  readonly forMs: number
  /** Goes on while the process stands still, and is never set back. */
  nowMs(): number
}

/**
 * The leases of the shards of a runner. The database lets another runner have a lock when this one has
 * not used its connection for a while, so each answer of the database is good for that span, counted
 * from before the question was sent.
 */
export class ShardLeases {
  readonly #clock: LeaseClock
  readonly #leases = new Map<string, Lease>()

  constructor(clock: LeaseClock) {
    this.#clock = clock
  }

  nowMs(): number {
    return this.#clock.nowMs()
  }

  /** The lease of a shard now; of one that this runner does not have, a lease that is over. */
  of(shard: string): Lease {
    return this.#leases.get(shard) ?? new Lease(-Infinity, () => 0)
  }

  /** The database gave these locks to this runner. */
  taken(shards: Iterable<string>, askedAtMs: number): void {
    for (const shard of shards) {
      if (!this.of(shard).over) continue
      this.#leases.set(shard, new Lease(askedAtMs + this.#clock.forMs, this.#clock.nowMs))
    }
  }

  /** The database said that this runner still has these locks. */
  confirmed(shards: Iterable<string>, askedAtMs: number): void {
    for (const shard of shards) this.of(shard).renew(askedAtMs + this.#clock.forMs)
  }

  /** The runner gave these locks back, or lost them. */
  lost(shards: Iterable<string>): void {
    for (const shard of shards) {
      this.of(shard).end()
      this.#leases.delete(shard)
    }
  }

  lostAll(): void {
    this.lost([...this.#leases.keys()])
  }
}

/** Finds the lease of a shard. A runner that is alone keeps every shard: its leases do not end. */
export const LeaseOfShard = Context.Reference<(shard: string) => Lease>(
  "@atrium/actors/cluster/LeaseOfShard",
  { defaultValue: () => () => endless }
)
