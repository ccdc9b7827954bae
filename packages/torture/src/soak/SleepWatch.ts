import type { DatabaseSession } from "@atrium/api/testing/DatabaseSession"
import { sleep } from "@atrium/api/testing/load/Tasks"

import { sleepingRooms } from "./StoredCounts.ts"

interface Waiter {
  readonly roomId: string
  readonly deadlineAtMs: number
  resolve(): void
  reject(error: Error): void
}

const lookEveryMs = 20

/** Tells when rooms have fallen asleep: one look at the database for all who wait. */
export class SleepWatch {
  readonly #database: DatabaseSession
  #waiters: ReadonlyArray<Waiter> = []
  #looking = false

  constructor(database: DatabaseSession) {
    this.#database = database
  }

  /** Resolves when the row says that the room sleeps. */
  asleep(roomId: string, withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const deadlineAtMs = performance.now() + withinMs
      this.#waiters = [...this.#waiters, { roomId, deadlineAtMs, resolve, reject }]
      if (!this.#looking) void this.#look()
    })
  }

  async #look(): Promise<void> {
    this.#looking = true
    while (this.#waiters.length > 0) {
      const asked = this.#waiters
      const sleeping = await sleepingRooms(this.#database).catch((error: unknown) => {
        for (const waiter of asked)
          waiter.reject(new Error("no look at the rooms", { cause: error }))
        return asked.map((waiter) => waiter.roomId)
      })
      const now = performance.now()
      this.#waiters = this.#waiters.filter((waiter) => {
        // A client that came during the look may have left its room after it.
        if (!asked.includes(waiter)) return true
        if (sleeping.includes(waiter.roomId)) waiter.resolve()
        else if (now < waiter.deadlineAtMs) return true
        else waiter.reject(new Error(`${waiter.roomId} does not fall asleep`))
        return false
      })
      await sleep(lookEveryMs)
    }
    this.#looking = false
  }
}
