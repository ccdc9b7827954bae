import { createHash } from "node:crypto"

import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { Context, Deferred, Effect, Exit, FiberSet, Layer } from "effect"

import type { Submit, SubmitOutcome } from "./BoardMachine.ts"
import { BoardStore } from "./BoardStore.ts"

/** A score as a room submits it. */
export interface RoomSubmit extends Omit<Submit, "digest"> {
  /** Counts once for its room, board, bucket and player; `null` = each submit counts. */
  readonly id: string | null
}

interface Waiting {
  readonly submit: Submit
  readonly answer: Deferred.Deferred<SubmitOutcome>
}

/**
 * Takes scores of the rooms of this runner. Scores of a project that arrive while others of it are being
 * stored are stored together after them, so that many rooms cost few transactions. Source: C-581.
 */
export class BoardSubmits extends Context.Service<
  BoardSubmits,
  {
    /** Answers when the score is stored. */
    submit(room: RoomKey, submit: RoomSubmit): Effect.Effect<SubmitOutcome>
  }
>()("@atrium/actors/boards/BoardSubmits") {
  static readonly layer = Layer.effect(
    BoardSubmits,
    Effect.gen(function* () {
      const store = yield* BoardStore
      const run = yield* FiberSet.makeRuntime<never>()
      /** By project; a project that is here has a batch under way. */
      const waiting = new Map<ProjectId, Array<Waiting>>()

      const storeAll = (projectId: ProjectId): Effect.Effect<void> =>
        Effect.suspend(() => {
          const batch = waiting.get(projectId)?.splice(0, BoardLimits.submitBatch.max) ?? []
          if (batch.length === 0) {
            waiting.delete(projectId)
            return Effect.void
          }
          return store
            .submit(
              projectId,
              batch.map(({ submit }) => submit)
            )
            .pipe(
              Effect.exit,
              Effect.flatMap((exit) =>
                Effect.forEach(batch, ({ answer }, index) =>
                  Deferred.done(
                    answer,
                    Exit.map(exit, (outcomes) => outcomeAt(outcomes, index))
                  )
                )
              ),
              Effect.andThen(storeAll(projectId))
            )
        })

      return {
        submit: (room, { id, ...submit }) =>
          Effect.suspend(() => {
            const { projectId } = room
            const answer = Deferred.makeUnsafe<SubmitOutcome>()
            const digest = id === null ? null : digestOf(room, { id, ...submit })
            const others = waiting.get(projectId)
            if (others === undefined) {
              waiting.set(projectId, [{ submit: { ...submit, digest }, answer }])
              run(storeAll(projectId))
            } else others.push({ submit: { ...submit, digest }, answer })
            return Deferred.await(answer)
          })
      }
    })
  )
}

const outcomeAt = (outcomes: ReadonlyArray<SubmitOutcome>, index: number): SubmitOutcome => {
  const outcome = outcomes[index]
  if (outcome === undefined) throw new Error(`submit ${index} of ${outcomes.length} has no outcome`)
  return outcome
}

/** The period is no part of it: a submit that is repeated after midnight counts once. Source: C-584. */
const digestOf = ({ roomId }: RoomKey, { board, bucket, playerId, id }: RoomSubmit): string =>
  createHash("sha256")
    .update(JSON.stringify([roomId, board, bucket, playerId, id]))
    .digest("base64url")
    .slice(0, 22)
