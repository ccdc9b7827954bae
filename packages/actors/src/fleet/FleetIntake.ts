import type { RunnerIntake } from "@atrium/domain/fleet/RunnerStatus"
import { Context } from "effect"

/** Whether this runner takes rooms that have no place yet. Its reports to the fleet set it. */
export class FleetIntake {
  #current: RunnerIntake = "open"
  #others = false
  #leaving = false

  get current(): RunnerIntake {
    return this.#leaving ? "elsewhere" : this.#current
  }

  /** This runner ends, and its rooms go to others. */
  get leaving(): boolean {
    return this.#leaving
  }

  /** @param others another runner takes rooms */
  reported(current: RunnerIntake, others: boolean): void {
    this.#current = current
    this.#others = others
  }

  /** This runner ends. @returns whether its rooms have somewhere to go */
  leave(): boolean {
    this.#leaving = this.#others
    return this.#leaving
  }
}

/** Written by the runner's reports, read by its servers. */
export const ThisIntake = Context.Reference<FleetIntake>("@atrium/actors/fleet/ThisIntake", {
  defaultValue: () => new FleetIntake()
})
