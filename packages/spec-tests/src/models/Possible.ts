import { isDeepStrictEqual } from "node:util"

import { Mismatch } from "../check/Expect.ts"
import { type Answer, indefinite, type Machine } from "./Machine.ts"

const statesMax = 1000

/** The states in which a thing may be after what was seen of it. Never empty. */
export class Possible<State, Deed, View> {
  readonly #machine: Machine<State, Deed, View>
  #states: ReadonlyArray<State>

  constructor(machine: Machine<State, Deed, View>) {
    this.#machine = machine
    this.#states = [machine.initial]
  }

  get states(): ReadonlyArray<State> {
    return this.#states
  }

  /** Takes in what was answered to a deed; a `Mismatch` when no state explains it. */
  answered(deed: Deed, { answer, told }: { readonly answer: Answer; readonly told: string }): void {
    const outcomes = this.#states.flatMap((state) => this.#machine.step(state, deed))
    // It may still be that nothing was done.
    const after =
      answer === indefinite
        ? [...this.#states, ...outcomes.map(({ state }) => state)]
        : outcomes.filter((outcome) => outcome.answer === answer).map(({ state }) => state)
    if (after.length === 0) {
      const expected = [...new Set(outcomes.map((outcome) => outcome.answer))].join(" or ")
      throw new Mismatch(`the answer to ${told}`, { expected, actual: answer })
    }
    this.#states = distinct(after).slice(0, statesMax)
  }

  /** Takes in a read-back; a `Mismatch` when no state looks like that. */
  seen(view: View, told: string): void {
    const states = this.#states.filter((state) =>
      isDeepStrictEqual(this.#machine.view(state), view)
    )
    if (states.length === 0) {
      const views = this.#states.map((state) => JSON.stringify(this.#machine.view(state)))
      const expected = [...new Set(views)].join(" or ")
      throw new Mismatch(`what is read after ${told}`, { expected, actual: view })
    }
    this.#states = states
  }
}

const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (const value of values) {
    if (!found.some((other) => isDeepStrictEqual(other, value))) found.push(value)
  }
  return found
}
