import type { ProjectId } from "@atrium/domain/shared/Ids"
import type { Effect } from "effect"

import type { Submit, SubmitOutcome } from "./BoardMachine.ts"

/** Scores that rank among each other, by name. */
export interface SeriesName {
  readonly projectId: ProjectId
  readonly board: string
  /** `""` = the board has no periods. */
  readonly period: string
  /** `""` = the board has no buckets. */
  readonly bucket: string
}

/** A score and its place: 1 is the first. */
export interface RankedScore {
  readonly rank: number
  readonly playerId: string
  readonly key: number
  readonly atMs: number
}

/** What a store of scores does. A failing store is a defect. */
export interface BoardQueries {
  /**
   * Counts scores of one project in their order, all in one transaction.
   * @param submits at most `BoardLimits.submitBatch`
   * @returns an outcome for each
   */
  submit(
    projectId: ProjectId,
    submits: ReadonlyArray<Submit>
  ): Effect.Effect<ReadonlyArray<SubmitOutcome>>
  /** The first scores. A series that has none is empty. */
  top(of: SeriesName, limit: number): Effect.Effect<ReadonlyArray<RankedScore>>
  /** A player's score between its neighbours, at most `each` on either side; empty without a score. */
  around(
    of: SeriesName,
    player: { readonly playerId: string; readonly each: number }
  ): Effect.Effect<ReadonlyArray<RankedScore>>
  /**
   * Removes a bounded part of the scores of removed boards and of periods that are kept no longer, and
   * of the ids that count again. @returns whether more may be left
   */
  readonly removeSome: Effect.Effect<boolean>
}
