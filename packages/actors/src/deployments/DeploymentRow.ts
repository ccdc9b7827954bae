import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Data, Schema } from "effect"

import type { Carried, VersionStep } from "../migrations/VersionStep.ts"
import type { DeployedType } from "./DeployedType.ts"

/** A version of a project's room code. It never changes, and stays as long as its project. Spec: Versioning. */
export interface DeploymentRow {
  readonly projectId: ProjectId
  readonly version: number
  readonly bytes: number
  readonly createdAtMs: number
  readonly roomTypes: ReadonlyArray<DeployedType>
  /** Its rooms run no code of the project. */
  readonly relay: boolean
  /** The version that was uploaded with this code and schema, if a rollback made this one. Source: C-350. */
  readonly rollbackOf: number | null
  /** The changes that its bundle's migrations can make. */
  readonly migrations: ReadonlyArray<Carried>
  /** How stored state comes to it from the version before; `null` = by name. */
  readonly step: VersionStep | null
}

/** That and when a version was made. */
export const MadeVersion = Schema.Struct({
  version: Schema.Int,
  createdAtMs: Schema.Int,
  rollbackOf: Schema.NullOr(Schema.Int)
})
export type MadeVersion = typeof MadeVersion.Type

/** Versions that were made at a moment or later, and so many of them. */
export interface MadePart {
  readonly sinceMs: number
  readonly atMost: number
}

/** A room type as a version declares it. */
export interface Declared {
  readonly version: number
  readonly deployed: DeployedType
}

/** A deployment as it is added: version and moment are the store's. */
export interface NewDeployment {
  readonly bundle: Uint8Array
  readonly roomTypes: ReadonlyArray<DeployedType>
  /** Its rooms run no code; left out = they do. */
  readonly relay?: boolean
  /** Left out = none. */
  readonly migrations?: ReadonlyArray<Carried>
  /** Settings of the project that become so together with the version. Source: C-321. */
  readonly settings?: DeclaredSettings
  /** Rooms whose state it does not lead on: those that sleep are in quarantine with the version. Left out = none. */
  readonly failing?: ReadonlyArray<string>
}

/** What a deployment replaces, as it is when the deployment is stored. */
export interface Replaced {
  readonly current: DeploymentRow | null
  /** The number that the deployment gets. */
  readonly next: number
  /** The project's setting, with what the deployment itself sets. */
  readonly preRelease: boolean
}

/**
 * Judges a deployment by the very version that it would replace: of two deployments that arrive at once, the
 * second is judged by the first.
 */
export type Judge<R> = (replaced: Replaced) => Verdict<R>
export type Verdict<R> =
  | { readonly _tag: "Refused"; readonly because: R }
  | { readonly _tag: "Taken"; readonly step: VersionStep }
  /** It is taken, and needs no step. */
  | null

/** The judge had something against it. Nothing was stored. */
export class DeploymentRefused<R> extends Data.TaggedError("DeploymentRefused")<{
  readonly because: R
}> {}

/** A row without what the store adds to it. */
type AddingRow = Omit<DeploymentRow, "version" | "createdAtMs" | "step">

/** A row with the settings and the failing rooms that are stored together with it. */
export interface Added extends AddingRow {
  readonly settings: DeclaredSettings
  readonly failing: ReadonlyArray<string>
}
