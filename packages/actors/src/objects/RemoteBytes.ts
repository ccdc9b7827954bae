import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { Context, type Effect } from "effect"

import type { ObjectsFailure } from "./ObjectsFailure.ts"

/** The first byte, and the last one, which belongs to it. */
export interface BytesPart {
  readonly from: number
  readonly to: number
}

/** Bytes, and what is known of them. */
export interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array
  readonly sha256: Uint8Array
}

/**
 * Bytes outside of PostgreSQL, each under a name that is given once and never written again. What refers to them,
 * and when they may go, is in PostgreSQL. Source: C-466.
 */
export interface RemoteBytes {
  /** The place as people read it, without a secret. */
  readonly place: string
  put(object: NamedBytes): Effect.Effect<void, ObjectsFailure>
  /** `null` = nothing has that name. */
  get(
    name: string,
    wanted: { readonly sizeBytes: number; readonly part?: BytesPart }
  ): Effect.Effect<Uint8Array | null, ObjectsFailure>
  /** Nothing under that name is no failure. */
  delete(name: string): Effect.Effect<void, ObjectsFailure>
  /** Names after this one, in their order: some of them, or none when there is no further one. */
  list(after: string): Effect.Effect<ReadonlyArray<string>, ObjectsFailure>
  /** The text by which a database knows its place again; `null` = the place is new. */
  readonly mark: Effect.Effect<string | null, ObjectsFailure>
  setMark(text: string): Effect.Effect<void, ObjectsFailure>
  /** Answers when the place gives bytes, and takes them if it last refused some. */
  readonly probe: Effect.Effect<void, ObjectsFailure>
}

/** `null` = the bytes of all objects are in PostgreSQL. */
export const Remote = Context.Reference<RemoteBytes | null>("@atrium/actors/objects/Remote", {
  defaultValue: () => null
})

/** Bytes up to this many stay in their row. Tests send all of them away. */
export const InlineBytes = Context.Reference<number>("@atrium/actors/objects/InlineBytes", {
  defaultValue: () => ObjectLimits.objectInline.max
})
