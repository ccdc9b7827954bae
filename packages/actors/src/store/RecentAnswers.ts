import type { CountLimit, SpanLimit } from "@atrium/wire/limits/Limit"

import { RecentlyRead } from "./RecentlyRead.ts"

/** One moment by two clocks: the service's, which a test may move, and the machine's. */
export interface Moment {
  readonly serviceMs: number
  readonly machineMs: number
}

interface Kept<Value> {
  readonly value: Value
  readonly askedAt: Moment
}

/** Answers of the store that may be used again for a while, by the keys of their questions. */
export class RecentAnswers<Value> {
  readonly #kept: RecentlyRead<Kept<Value>>
  readonly #ms: number
  #changes = 0

  /** @param bound the age of an answer, and how many are kept */
  constructor(bound: { readonly age: SpanLimit; readonly most: CountLimit }) {
    this.#ms = bound.age.ms
    this.#kept = new RecentlyRead({ weightMax: bound.most.max, weightOf: () => 1 })
  }

  /**
   * Begins a question: its answer is as old as the question.
   *
   * @returns keeps the answer, unless something was changed in the meantime
   */
  ask(askedAt: Moment): (key: string, value: Value) => void {
    const changes = this.#changes
    return (key, value) => {
      if (changes === this.#changes) this.#kept.set(key, { value, askedAt })
    }
  }

  /** @returns `undefined` = there is no answer that may be used now */
  get(key: string, now: Moment): Value | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    const { serviceMs, machineMs } = kept.askedAt
    const ageMs = Math.max(Math.abs(now.serviceMs - serviceMs), now.machineMs - machineMs)
    return ageMs <= this.#ms ? kept.value : undefined
  }

  /** What the answer to this key's question says may be different now. */
  changed(key: string): void {
    this.#changes++
    this.#kept.delete(key)
  }
}
