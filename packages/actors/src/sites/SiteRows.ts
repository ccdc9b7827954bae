import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import { ProjectId } from "@atrium/domain/shared/Ids"
import type {
  BadRequest,
  LabelTaken,
  NotFound,
  SitePortsTaken,
  UploadIncomplete,
  UploadNotFound,
  UploadsFull
} from "@atrium/domain/shared/Refusal"
import type { SitePorts } from "@atrium/domain/sites/SiteAddress"
import type { SiteFile } from "@atrium/domain/sites/SiteFiles"
import { type Effect, type Option, Schema } from "effect"

import type { ContentCodings, PackedContent } from "./SiteContent.ts"

/** The site of a project. */
export const SiteRow = Schema.Struct({
  projectId: ProjectId,
  label: Schema.String,
  /** `null` = it was deployed when sites had no ports. */
  port: Schema.NullOr(Schema.Int),
  /** The origin that the site has put among those of its project. */
  origin: Schema.String,
  /** The upload whose files it has: another one at each deploy. */
  uploadId: Schema.String,
  files: Schema.Int,
  bytes: Schema.Int,
  deployedAtMs: Schema.Int
})
export type SiteRow = typeof SiteRow.Type

/** An upload that begins. */
export interface NewUpload {
  readonly projectId: ProjectId
  readonly uploadId: string
  /** The label that is asked for; `null` = that of the site, or the first of `labels` that no project has. */
  readonly label: string | null
  readonly labels: ReadonlyArray<string>
  readonly files: ReadonlyArray<SiteFile>
  readonly settings: DeclaredSettings
  readonly ports: SitePorts | null
  /** The origin of a site with that address. */
  originOf(address: Pick<SiteRow, "label" | "port">): string
}

/** An upload that has begun. */
export interface BegunUpload {
  readonly label: string
  /** Content that the project does not hold, in the order of the files. */
  readonly missing: ReadonlyArray<string>
  readonly expiresAtMs: number
}

/** A content that an upload may send. */
export interface WantedContent {
  readonly bytes: number
  /** The project holds it already. */
  readonly held: boolean
  readonly paths: ReadonlyArray<string>
}

/** Names an upload. */
export interface UploadKey {
  readonly projectId: ProjectId
  readonly uploadId: string
}

/** An upload that is to be served. */
export interface FinishedUpload extends UploadKey {
  readonly ports: SitePorts | null
  /** The origin of a site with that address. */
  originOf(address: Pick<SiteRow, "label" | "port">): string
}

/** A site that has been switched. */
export interface SwitchedSite {
  readonly site: SiteRow
  /** Paths that differ from the site before. */
  readonly changed: number
}

/** The part of an address that says whose site is asked for. */
export type AskedSite = { readonly label: string } | { readonly port: number }

/** A file as it is served. */
export interface ServedFile extends ContentCodings {
  readonly path: string
  readonly hash: string
}

/** Refusals of an upload that begins. */
export type BeginRefused = NotFound | LabelTaken | UploadsFull | SitePortsTaken | BadRequest
/** Refusals of an upload that is to be served. */
export type FinishRefused =
  | UploadNotFound
  | UploadIncomplete
  | LabelTaken
  | SitePortsTaken
  | BadRequest

/** The methods of `SiteStore`. Each is one transaction. */
export interface Sites {
  /** The sites of these projects, without those that have none. */
  sites(projectIds: ReadonlyArray<ProjectId>): Effect.Effect<ReadonlyMap<ProjectId, SiteRow>>
  /** The site at an address. */
  at(asked: AskedSite): Effect.Effect<Option.Option<Pick<SiteRow, "projectId" | "uploadId">>>
  /** The files of a site by its upload: they never change. */
  files(uploadId: string): Effect.Effect<ReadonlyArray<ServedFile>>
  begin(upload: NewUpload): Effect.Effect<BegunUpload, BeginRefused>
  /** The content that an open upload lists; none = it does not list this one. */
  wanted(
    upload: UploadKey,
    hash: string
  ): Effect.Effect<Option.Option<WantedContent>, UploadNotFound>
  /** Stores a content for an open upload. One that is held already stays as it is. */
  keep(upload: UploadKey, content: PackedContent): Effect.Effect<void, UploadNotFound>
  /**
   * Serves the files of an upload, and sets its settings and the origin of the site. An upload that is
   * the site already stays it.
   */
  finish(upload: FinishedUpload): Effect.Effect<SwitchedSite, FinishRefused>
  /** @returns the site that was removed, with its origin among those of the project */
  remove(projectId: ProjectId): Effect.Effect<Option.Option<SiteRow>>
  /**
   * Removes a bounded part of uploads whose time is over and of content that nothing has used for a
   * while. @returns what was removed; 0 = nothing is left
   */
  readonly removeOld: Effect.Effect<number>
}
