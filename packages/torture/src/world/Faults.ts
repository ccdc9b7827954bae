import type { MachineMemory } from "@atrium/actors/servers/MachineMemory"
import type { Chance } from "@atrium/api/testing/Chance"
import { GiB, MiB } from "@atrium/wire/limits/Limit"
import { Effect } from "effect"

import type { Host } from "./Host.ts"

/** One in so many; 0 = never. */
interface Rates {
  startFails: number
  startHangs: number
}

/** Faults of servers and machines in a world; its store and its network have their own. */
export class Faults {
  readonly rates: Rates = { startFails: 0, startHangs: 0 }
  /** Servers that are taken for ones near their memory limit, by their public ids. */
  readonly pressed = new Set<string>()
  /** Memory of the machines; `null` = nobody says. */
  machine: MachineMemory | null = null
  readonly #chance: Chance
  /** Servers that are out of reach, and who waits for them. */
  readonly #outOfReach = new Set<string>()
  #waiting: Array<() => void> = []

  constructor(chance: Chance) {
    this.#chance = chance
  }

  startFails(): boolean {
    return this.#happens(this.rates.startFails)
  }

  startHangs(): boolean {
    return this.#happens(this.rates.startHangs)
  }

  #happens(rate: number): boolean {
    return rate > 0 && this.#chance.one(rate)
  }

  /** The machines have this part of their memory left. */
  shortOf(memory: "near" | "between"): void {
    const availableBytes = memory === "near" ? 0 : 300 * MiB
    this.machine = { totalBytes: 8 * GiB, availableBytes }
  }

  loseReach(serverId: string): void {
    this.#outOfReach.add(serverId)
  }

  restoreReach(): void {
    this.#outOfReach.clear()
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Waits on a host until a server can be reached. */
  readonly reachFrom =
    (host: Host) =>
    (serverId: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (!this.#outOfReach.has(serverId)) return Effect.void
        return Effect.callback<void>((resume) => {
          this.#waiting.push(() => void host.after(0, () => resume(Effect.void)))
        })
      })

  mend(): void {
    this.rates.startFails = 0
    this.rates.startHangs = 0
    this.pressed.clear()
    this.machine = null
    this.restoreReach()
  }
}
