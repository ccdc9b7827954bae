import { createHash } from "node:crypto"

import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { type CapWall, wallText } from "@atrium/domain/meters/Caps"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { CapReached } from "@atrium/domain/shared/Refusal"
import { Context, Effect, FiberSet, Layer } from "effect"

import { CapWalls } from "../meters/CapWalls.ts"
import { withinStorage } from "../meters/StorageBatches.ts"
import { Batches } from "../store/Batches.ts"
import type { Submit, SubmitOutcome } from "./BoardMachine.ts"
import { BoardStore } from "./BoardStore.ts"

/** A score as a room submits it. */
export interface RoomSubmit extends Omit<Submit, "digest"> {
  /** Counts once for its room, board, bucket and player; `null` = each submit counts. */
  readonly id: string | null
}

/**
 * Takes scores of the rooms of this runner. Scores of a project that arrive while others of it are being
 * stored are stored together after them, so that many rooms cost few transactions. Source: C-581.
 */
export class BoardSubmits extends Context.Service<
  BoardSubmits,
  {
    /** Answers when the score is stored. At the storage wall nothing is. */
    submit(room: RoomKey, submit: RoomSubmit): Effect.Effect<SubmitOutcome, CapReached>
  }
>()("@atrium/actors/boards/BoardSubmits") {
  static readonly layer = Layer.effect(
    BoardSubmits,
    Effect.gen(function* () {
      const store = yield* BoardStore
      const batches = new Batches<ProjectId, Submit, SubmitOutcome | CapWall>({
        perform: withinStorage(yield* CapWalls, store.submit),
        most: BoardLimits.submitBatch.max,
        run: yield* FiberSet.makeRuntime<never>()
      })
      return {
        submit: Effect.fnUntraced(function* (room, { id, ...submit }) {
          const digest = id === null ? null : digestOf(room, { id, ...submit })
          const outcome = yield* batches.ask(room.projectId, { ...submit, digest })
          if ("meter" in outcome) return yield* new CapReached({ message: wallText(outcome) })
          return outcome
        })
      }
    })
  )
}

/** The period is no part of it: a submit that is repeated after midnight counts once. Source: C-584. */
const digestOf = ({ roomId }: RoomKey, { board, bucket, playerId, id }: RoomSubmit): string =>
  createHash("sha256")
    .update(JSON.stringify([roomId, board, bucket, playerId, id]))
    .digest("base64url")
    .slice(0, 22)
