import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Deferred, Effect, Semaphore } from "effect"

import { notBegun } from "../http/NotBegun.ts"

interface Line {
  readonly turn: Semaphore.Semaphore
  /** Deployments of the project that run or wait. */
  length: number
}

const busy = notBegun(new NotReady({ message: "deployments: others are under way; try again" }))

/**
 * Deployments side by side: each holds a bundle and a process that describes it. A few run at once,
 * one of each project; others wait for their turn, up to a limit and for a limited time.
 */
export class DeployQueue {
  readonly #turns = Semaphore.makeUnsafe(DeploymentLimits.deploysAtOnce.max)
  readonly #lines = new Map<string, Line>()
  #running = 0
  #inside = 0

  /** Runs a deployment when it is its turn; refuses it when its turn does not come in time. */
  run<A, E, R>(
    projectId: string,
    deployment: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | NotReady, R> {
    return Effect.suspend(() => {
      const line = this.#lines.get(projectId) ?? { turn: Semaphore.makeUnsafe(1), length: 0 }
      const waits = this.#inside - this.#running
      if (
        line.length > DeploymentLimits.projectDeploysWaiting.max ||
        waits >= DeploymentLimits.deploysWaiting.max
      ) {
        return Effect.fail(busy)
      }
      this.#lines.set(projectId, line)
      line.length++
      this.#inside++
      return Effect.ensuring(
        this.#inTurn(line, deployment),
        Effect.sync(() => {
          this.#inside--
          if (--line.length === 0) this.#lines.delete(projectId)
        })
      )
    })
  }

  #inTurn<A, E, R>(
    line: Line,
    deployment: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | NotReady, R> {
    return Effect.flatMap(Deferred.make<void>(), (begun) => {
      const run = Effect.acquireUseRelease(
        Effect.sync(() => this.#running++),
        () => Effect.andThen(Deferred.succeed(begun, undefined), deployment),
        () => Effect.sync(() => this.#running--)
      )
      const tooLate = Effect.sleep(DeploymentLimits.deployWait.ms).pipe(
        Effect.andThen(Deferred.isDone(begun)),
        Effect.flatMap((done) => (done ? Effect.never : Effect.fail(busy)))
      )
      return Effect.raceFirst(line.turn.withPermit(this.#turns.withPermit(run)), tooLate)
    })
  }
}
