import { type Effect, type Option, Schema } from "effect"

/** The facts about a stored object that need no reading of it. */
export interface ObjectEntry {
  readonly key: string
  readonly sizeBytes: number
  readonly storedAtMs: number
  readonly manifest: Manifest
}

/** The objects under a prefix, and the contents that were asked for. */
export interface Listing {
  readonly entries: ReadonlyArray<ObjectEntry>
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

/** Small facts that travel with an object, so that a list answers without reading any of them. */
export const Manifest = Schema.Record(Schema.String, Schema.Json)
export type Manifest = typeof Manifest.Type

/** An object as it is stored. */
export interface Put {
  readonly key: string
  readonly bytes: Uint8Array
  readonly manifest: Manifest
}

/**
 * Where bytes are: in the row itself, or in the S3 under a name that is given once, so that rows with the same bytes
 * can share it. Source: C-466.
 */
export type PlacedBytes =
  | { readonly _tag: "Inline"; readonly bytes: Uint8Array }
  | {
      readonly _tag: "Blob"
      readonly name: string
      readonly sizeBytes: number
      readonly sha256: Uint8Array
    }

/** An object whose bytes are where its row will say. */
export interface Placed {
  readonly key: string
  readonly at: PlacedBytes
  readonly manifest: Manifest
}

/** What `ObjectStore` does. */
export interface Objects {
  put(object: Put): Effect.Effect<void>
  /** Puts bytes where a row can refer to them. Not in a transaction: an S3 may take its time. */
  place(bytes: Uint8Array): Effect.Effect<PlacedBytes>
  /** Stores them in this order, all with the same moment. In a transaction: all of them or none. */
  putAll(objects: ReadonlyArray<Placed>): Effect.Effect<void>
  /** Removes bytes that were placed, unless a row refers to them. Never fails. */
  discard(places: ReadonlyArray<PlacedBytes>): Effect.Effect<void>
  get(key: string): Effect.Effect<Option.Option<Uint8Array>>
  /** A part of the bytes: at most `most`, from an offset on; none = there is no such key. */
  slice(
    key: string,
    part: { readonly from: number; readonly most: number }
  ): Effect.Effect<Option.Option<Uint8Array>>
  /** All objects under a prefix, ordered by key. */
  list(prefix: string): Effect.Effect<ReadonlyArray<ObjectEntry>>
  /** The same, with the bytes of those that are named, if they are there. */
  listWith(prefix: string, keys: ReadonlyArray<string>): Effect.Effect<Listing>
  /** Stores the bytes and the manifest of a key under another key, in the store. A missing key is a defect. */
  copy(from: string, to: string): Effect.Effect<void>
  delete(keys: ReadonlyArray<string>): Effect.Effect<void>
}
