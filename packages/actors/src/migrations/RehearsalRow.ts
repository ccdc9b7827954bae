import { RehearsalState } from "@atrium/domain/migrations/RehearsalState"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Schema } from "effect"

import { DeployedType } from "../deployments/DeployedType.ts"
import type { DeploymentRow } from "../deployments/DeploymentRow.ts"
import { emptyReport, RehearsalReport } from "./RehearsalReport.ts"
import { Carried, VersionStep } from "./VersionStep.ts"

/** The version that the bundle of a rehearsal would become. */
export const Candidate = Schema.Struct({
  bytes: Schema.Int,
  roomTypes: Schema.Array(DeployedType),
  relay: Schema.Boolean,
  migrations: Schema.Array(Carried),
  step: Schema.NullOr(VersionStep)
})
export type Candidate = typeof Candidate.Type

/** How far a rehearsal is. */
export const RehearsalProgress = Schema.Struct({
  /** The second pass is over the rooms that changed since the rehearsal began. */
  pass: Schema.Literals([1, 2]),
  /** The last room of the pass that is through; `null` = none. */
  after: Schema.NullOr(Schema.String),
  /** The time that it has run. */
  ranMs: Schema.Number,
  report: RehearsalReport
})
export type RehearsalProgress = typeof RehearsalProgress.Type

export const freshProgress: RehearsalProgress = {
  pass: 1,
  after: null,
  ranMs: 0,
  report: emptyReport
}

/** A run of a bundle's migrations over what is stored of a project. Source: C-710. */
export const RehearsalRow = Schema.Struct({
  rehearsalId: Schema.String,
  projectId: ProjectId,
  state: RehearsalState,
  /** SHA-256 of the bundle, in hex. */
  hash: Schema.String,
  /** The version that was current when it began; 0 = none. */
  baseVersion: Schema.Int,
  /** The rooms that were drawn, in the order of their keys; `null` = all. */
  sample: Schema.NullOr(Schema.Array(Schema.String)),
  candidate: Candidate,
  /** What the project had stored when it began. */
  total: Schema.Struct({ rooms: Schema.Int, saves: Schema.Int }),
  progress: RehearsalProgress,
  /** Grows with each write: of two runners that run it, one goes on. */
  revision: Schema.Int,
  createdAtMs: Schema.Int,
  changedAtMs: Schema.Int
})
export type RehearsalRow = typeof RehearsalRow.Type

/** A rehearsal as it begins: the rest of its row is the store's. */
export type NewRehearsal = Pick<
  RehearsalRow,
  "projectId" | "hash" | "baseVersion" | "sample" | "candidate" | "total"
>

/** Bundles of rehearsals that are not over, as objects. */
export const rehearsalFolder = "rehearsals"

export const rehearsedKey = ({
  projectId,
  rehearsalId
}: Pick<RehearsalRow, "projectId" | "rehearsalId">): string =>
  `${rehearsalFolder}/${projectId}/${rehearsalId}`

/** The candidate as the version that it would be. */
export const candidateRow = ({
  projectId,
  baseVersion,
  candidate,
  createdAtMs
}: RehearsalRow): DeploymentRow => ({
  projectId,
  version: baseVersion + 1,
  createdAtMs,
  rollbackOf: null,
  ...candidate
})

/** Whether a rehearsal that is under way, or was stopped, is the one that begins. */
export const isSame = (row: RehearsalRow, begins: NewRehearsal): boolean =>
  (row.state === "running" || row.state === "stopped") &&
  row.hash === begins.hash &&
  row.baseVersion === begins.baseVersion &&
  row.sample?.length === begins.sample?.length

/** Whether the rehearsal has ended and cannot go on. */
export const isOver = ({ state }: Pick<RehearsalRow, "state">): boolean =>
  state !== "running" && state !== "stopped"
