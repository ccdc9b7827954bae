import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"

import { shardOf } from "./SeatedPlayers.ts"

interface Watch {
  readonly subjects: ReadonlyArray<string>
  /** Looks again: a player of the watch may be elsewhere now. */
  readonly wake: () => void
}

/** The watches of presence that wait on this runner, by the players that they are about. */
export class PresenceWatches {
  readonly #watches = new Set<Watch>()
  readonly #bySubject = new Map<string, Set<Watch>>()
  readonly #byShard = new Map<number, number>()
  /** Watches that are to look again. */
  #woken = new Set<Watch>()

  /** Watches that wait. */
  get size(): number {
    return this.#watches.size
  }

  /** Whether a watch waits for a player of the shard. */
  waits(shard: number): boolean {
    return this.#byShard.has(shard)
  }

  /** @returns to be called when it waits no more; `null` = as many wait as may */
  add(subjects: ReadonlyArray<string>, wake: () => void): (() => void) | null {
    if (this.#watches.size >= PresenceLimits.presenceWaiting.max) return null
    const watch: Watch = { subjects, wake }
    this.#watches.add(watch)
    for (const subject of subjects) {
      const watching = this.#bySubject.get(subject)
      if (watching === undefined) this.#bySubject.set(subject, new Set([watch]))
      else watching.add(watch)
      const shard = shardOf(subject)
      this.#byShard.set(shard, (this.#byShard.get(shard) ?? 0) + 1)
    }
    return () => this.#remove(watch)
  }

  /** The rooms of a player may have changed. @returns whether a watch is to look again */
  changed(subject: string): boolean {
    const watching = this.#bySubject.get(subject)
    if (watching === undefined) return false
    for (const watch of watching) this.#woken.add(watch)
    return true
  }

  /** The watches that are to look again, as so many calls; what changes from now on is of the next. */
  takeWoken(): ReadonlyArray<() => void> {
    const woken = this.#woken
    this.#woken = new Set()
    return [...woken].map((watch) => () => {
      if (this.#watches.has(watch)) watch.wake()
    })
  }

  /** Every watch looks again, now. */
  wakeAll(): void {
    for (const { wake } of this.#watches) wake()
  }

  #remove(watch: Watch): void {
    if (!this.#watches.delete(watch)) return
    this.#woken.delete(watch)
    for (const subject of watch.subjects) {
      const watching = this.#bySubject.get(subject)
      watching?.delete(watch)
      if (watching?.size === 0) this.#bySubject.delete(subject)
      const shard = shardOf(subject)
      const left = (this.#byShard.get(shard) ?? 0) - 1
      if (left > 0) this.#byShard.set(shard, left)
      else this.#byShard.delete(shard)
    }
  }
}
