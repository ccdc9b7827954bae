import type { NotReady } from "@atrium/domain/shared/Refusal"
import { Deferred, Effect, Semaphore } from "effect"

/** The bounds of a {@link TurnQueue}. */
export interface TurnBounds {
  /** Places of all that run at once. */
  readonly places: number
  /** Requests of a project that run at once. */
  readonly ofProject: number
  readonly waiting: number
  readonly waitingOfProject: number
  readonly waitMs: number
  /** The answer to a request whose turn does not come. */
  readonly busy: NotReady
}

interface Line {
  readonly turn: Semaphore.Semaphore
  /** Requests of the project that run or wait. */
  length: number
}

/**
 * Requests that hold much memory: some run at once, a bounded number of each project; others wait for
 * their turn, up to a limit and for a limited time.
 */
export class TurnQueue {
  readonly #bounds: TurnBounds
  readonly #places: Semaphore.Semaphore
  readonly #lines = new Map<string, Line>()
  #running = 0
  #inside = 0

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds
    this.#places = Semaphore.makeUnsafe(bounds.places)
  }

  /**
   * Runs a request when it is its turn; refuses it when its turn does not come in time.
   *
   * @param places that it takes while it runs
   */
  run<A, E, R>(
    projectId: string,
    request: Effect.Effect<A, E, R>,
    places = 1
  ): Effect.Effect<A, E | NotReady, R> {
    const { ofProject, waiting, waitingOfProject, busy } = this.#bounds
    return Effect.suspend(() => {
      const line = this.#lines.get(projectId) ?? {
        turn: Semaphore.makeUnsafe(ofProject),
        length: 0
      }
      const waits = this.#inside - this.#running
      if (line.length >= ofProject + waitingOfProject || waits >= waiting) return Effect.fail(busy)
      this.#lines.set(projectId, line)
      line.length++
      this.#inside++
      return Effect.ensuring(
        this.#inTurn(line, request, places),
        Effect.sync(() => {
          this.#inside--
          if (--line.length === 0) this.#lines.delete(projectId)
        })
      )
    })
  }

  #inTurn<A, E, R>(
    line: Line,
    request: Effect.Effect<A, E, R>,
    places: number
  ): Effect.Effect<A, E | NotReady, R> {
    return Effect.flatMap(Deferred.make<void>(), (begun) => {
      const run = Effect.acquireUseRelease(
        Effect.sync(() => this.#running++),
        () => Effect.andThen(Deferred.succeed(begun, undefined), request),
        () => Effect.sync(() => this.#running--)
      )
      const tooLate = Effect.sleep(this.#bounds.waitMs).pipe(
        Effect.andThen(Deferred.isDone(begun)),
        Effect.flatMap((done) => (done ? Effect.never : Effect.fail(this.#bounds.busy)))
      )
      return Effect.raceFirst(line.turn.withPermit(this.#places.withPermits(places)(run)), tooLate)
    })
  }
}
