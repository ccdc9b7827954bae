import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import { RpcError } from "./RpcError.ts"

interface Waiter {
  /** `room.save()` adds a save generation; a durable RPC only wants to be stored. */
  readonly generation: boolean
  resolve(): void
  reject(error: RpcError): void
}

interface Requested {
  readonly id: number
  readonly generation: boolean
  readonly waiters: ReadonlyArray<Waiter>
}

/**
 * Saves that room code waits for. One request is with the service at a time; what is asked for
 * until the next snapshot is taken shares it, what comes later may not be in that snapshot and goes
 * into the next request.
 */
export class Saves {
  readonly #request: (saveId: number, generation: boolean) => void
  readonly #onAsked: () => void
  #lastId = 0
  #calls = 0
  #asked: Waiter[] = []
  #requested: Requested | null = null

  constructor(ports: {
    readonly request: (saveId: number, generation: boolean) => void
    readonly onAsked: () => void
  }) {
    this.#request = ports.request
    this.#onAsked = ports.onAsked
  }

  /** `room.save()`. Errors: `RpcError` E_SAVE_BUSY past the limit, E_NOT_STORED, E_CAP_REACHED. */
  async call(): Promise<void> {
    if (this.#calls >= RuntimeLimits.savesWaiting.max) {
      throw new RpcError(
        RoomRefusals.saveBusy.code,
        `${RuntimeLimits.savesWaiting.max} saves are waiting already`
      )
    }
    this.#calls++
    try {
      await this.#ask(true)
    } finally {
      this.#calls--
    }
  }

  /** Resolves when the state as of now is stored. Errors: `RpcError` E_NOT_STORED. */
  stored(): Promise<void> {
    return this.#ask(false)
  }

  #ask(generation: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ generation, resolve, reject })
      this.#onAsked()
    })
  }

  /** Sends the next request, if one is due: at the end of a turn. */
  flush(): void {
    if (this.#requested !== null || this.#asked.length === 0) return
    this.#lastId++
    const waiters = this.#asked
    const generation = waiters.some((waiter) => waiter.generation)
    this.#requested = { id: this.#lastId, generation, waiters }
    this.#asked = []
    this.#request(this.#lastId, generation)
  }

  /**
   * A snapshot is about to be taken. What was asked for by now is in it, so that the request which
   * is with the service answers for all of that: the service answers with this snapshot, or with
   * one that it asks for later, never with an older one, as it has one under way at a time.
   */
  gather(): void {
    const requested = this.#requested
    if (requested === null) return
    const shares = (waiter: Waiter): boolean => requested.generation || !waiter.generation
    this.#requested = {
      ...requested,
      waiters: [...requested.waiters, ...this.#asked.filter(shares)]
    }
    this.#asked = this.#asked.filter((waiter) => !shares(waiter))
  }

  /**
   * The service's answer. One to a request that is not waiting is ignored.
   *
   * @param wall the project stores no more than it does: the state is stored, and no save generation
   */
  saved(saveId: number, stored: boolean, wall?: string): void {
    if (this.#requested?.id !== saveId) return
    const { waiters } = this.#requested
    this.#requested = null
    for (const waiter of waiters) {
      if (waiter.generation && wall !== undefined) {
        waiter.reject(new RpcError(CloseCodes.capReached.name, wall))
      } else if (stored) waiter.resolve()
      else
        waiter.reject(
          new RpcError(RoomRefusals.notStored.code, "the room's state could not be stored")
        )
    }
    this.flush()
  }
}
