/** The parts of a run. */
export const Parts = ["readers", "hosts", "sockets", "rooms", "http", "worlds"] as const
export type Part = (typeof Parts)[number]

/** Something that must not happen, and where to find it again. */
export interface Fault {
  readonly part: Part
  readonly index: number
  readonly says: string
}

/** Faults that are told one by one; the rest is a number. */
const FaultsMax = 20

/** Counts what was done and what came of it: a fuzzer that reaches nothing must be seen. */
export class Tally {
  readonly faults: Fault[] = []
  frames = 0
  readonly #kinds = new Map<string, Map<string, number>>()
  readonly #frames = new Map<Part, number>()

  /** So many frames of a kind ended like this. */
  count(kind: string, outcome: string, times = 1): void {
    const outcomes = this.#kinds.get(kind) ?? new Map<string, number>()
    this.#kinds.set(kind, outcomes)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + times)
  }

  /** Frames that were put in. */
  sent(part: Part, frames = 1): void {
    this.frames += frames
    this.#frames.set(part, (this.#frames.get(part) ?? 0) + frames)
  }

  framesOf(part: Part): number {
    return this.#frames.get(part) ?? 0
  }

  fault(fault: Fault): void {
    if (this.faults.length < FaultsMax) this.faults.push(fault)
  }

  knows(kind: string): boolean {
    return this.#kinds.has(kind)
  }

  has(kind: string, outcome: string): boolean {
    return (this.#kinds.get(kind)?.get(outcome) ?? 0) > 0
  }

  /** One line for each kind: its outcomes, the most frequent first. */
  lines(): ReadonlyArray<string> {
    return [...this.#kinds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, outcomes]) => {
        const shown = [...outcomes]
          .toSorted(([, a], [, b]) => b - a)
          .map(([outcome, times]) => `${outcome} ${times}`)
        return `  ${kind.padEnd(24)} ${shown.join(", ")}`
      })
  }
}
