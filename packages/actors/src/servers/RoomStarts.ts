import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { Cause, Deferred, Effect, Exit } from "effect"

/** One incarnation of a room. */
interface Incarnation {
  readonly roomId: string
  readonly epoch: number
}

interface LastStart<A, E> {
  readonly epoch: number
  readonly outcome: Deferred.Deferred<A, E>
  /** The room's actor has not given the incarnation up. */
  wanted: boolean
}

/** The parts of a server that its starts use. */
interface StartsPort<E> {
  /** The answer to a start that the room's actor no longer waits for. */
  readonly unwanted: E
  holds(roomId: string): boolean
}

/**
 * The last start of each room on a server. An order that arrives twice, because its reply was lost,
 * gets the first one's outcome: it starts no second process. Starts of one room run one after the
 * other. Epochs of a room only grow, so that an order with an older one is late. Source: C-312.
 */
export class RoomStarts<A, E> {
  readonly #port: StartsPort<E>
  readonly #last = new Map<string, LastStart<A, E>>()

  constructor(port: StartsPort<E>) {
    this.#port = port
  }

  /** How many rooms it remembers. */
  get size(): number {
    return this.#last.size
  }

  /** Makes the start, or answers with the outcome of the same start. */
  once<R>(at: Incarnation, start: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const last = this.#last.get(at.roomId)
      if (last !== undefined && at.epoch < last.epoch) return Effect.fail(this.#port.unwanted)
      if (last !== undefined && at.epoch === last.epoch) return Deferred.await(last.outcome)
      const mine = this.#remember(at, true)
      const before = last === undefined ? Effect.void : Effect.exit(Deferred.await(last.outcome))
      return before.pipe(
        Effect.andThen(this.wanted(at)),
        Effect.andThen(start),
        // The order of a start that was cut short may be on its way again: it gets a refusal.
        Effect.onExit((exit) =>
          Deferred.done(mine.outcome, isCut(exit) ? Exit.fail(this.#port.unwanted) : exit)
        )
      )
    })
  }

  /** Fails once the room's actor has given the incarnation up. */
  wanted({ roomId, epoch }: Incarnation): Effect.Effect<void, E> {
    return Effect.suspend(() => {
      const last = this.#last.get(roomId)
      const goesOn = last === undefined || last.epoch !== epoch || last.wanted
      return goesOn ? Effect.void : Effect.fail(this.#port.unwanted)
    })
  }

  /** The room's actor has given the incarnation up: its start ends, or is refused when it arrives. */
  giveUp(at: Incarnation): void {
    const last = this.#last.get(at.roomId)
    if (last !== undefined && last.epoch > at.epoch) return
    if (last?.epoch === at.epoch) {
      last.wanted = false
      return
    }
    const { outcome } = this.#remember(at, false)
    Deferred.doneUnsafe(outcome, Effect.fail(this.#port.unwanted))
  }

  #remember({ roomId, epoch }: Incarnation, wanted: boolean): LastStart<A, E> {
    const last: LastStart<A, E> = { epoch, outcome: Deferred.makeUnsafe<A, E>(), wanted }
    this.#last.delete(roomId)
    this.#last.set(roomId, last)
    this.#forget()
    return last
  }

  /** The rooms that started the longest ago, but none that is held or on its way. */
  #forget(): void {
    if (this.#last.size <= ServerLimits.startsKnown.max) return
    for (const [roomId, { outcome }] of this.#last) {
      if (this.#port.holds(roomId) || !Deferred.isDoneUnsafe(outcome)) continue
      this.#last.delete(roomId)
      return
    }
  }
}

const isCut = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
