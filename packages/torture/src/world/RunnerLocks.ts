import { makeRunnerLock } from "@atrium/api/start/OneRunner"
import { Effect, Option } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

import type { Host } from "./Host.ts"
import type { StoreDoor } from "./StoreDoor.ts"

type LockConnection = Parameters<ReturnType<typeof makeRunnerLock>["first"]>[0]

/**
 * The advisory lock of the database that runners share, or that a runner without others has for itself.
 * The service's own code asks for it; only the connection is played.
 */
export class RunnerLocks {
  readonly #door: StoreDoor
  readonly #honoured: boolean
  readonly #holders = new Map<Host, { readonly shared: boolean }>()

  /** @param honoured a wrong world gives the lock to everybody */
  constructor(door: StoreDoor, honoured: boolean) {
    this.#door = door
    this.#honoured = honoured
  }

  /** The first step of a runner: it takes its lock, and fails if another runner holds one that excludes it. */
  take(host: Host, { alone, address }: { readonly alone: boolean; readonly address: string }) {
    const runnerAddress = alone ? Option.none() : Option.some(address)
    return makeRunnerLock({ runnerAddress }).first(this.#connectionOf(host))
  }

  #connectionOf(host: Host): LockConnection {
    const unused = (): never => {
      throw new Error("the lock asks in another way now")
    }
    return {
      execute: unused,
      executeRaw: unused,
      executeStream: unused,
      executeValues: unused,
      executeValuesUnprepared: unused,
      executeUnprepared: (statement) =>
        this.#door
          .asked(host, () =>
            statement.includes("pg_try_advisory_lock")
              ? [{ locked: this.#tryLock(host, statement.includes("lock_shared")) }]
              : []
          )
          .pipe(
            Effect.mapError(
              ({ because }) =>
                new SqlError({ reason: new ConnectionError({ cause: new Error(because) }) })
            )
          )
    }
  }

  #tryLock(host: Host, shared: boolean): boolean {
    const others = [...this.#holders].filter(([holder]) => holder !== host)
    const fits = others.every(([, held]) => held.shared && shared)
    if (!fits && this.#honoured) return false
    this.#holders.set(host, { shared })
    host.onDeath(() => this.#holders.delete(host))
    return true
  }
}
