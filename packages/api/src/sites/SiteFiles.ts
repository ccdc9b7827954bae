import { ObjectStore } from "@atrium/actors/objects/ObjectStore"
import { objectKey } from "@atrium/actors/sites/SiteContent"
import type { AskedSite } from "@atrium/actors/sites/SiteRows"
import { SiteStore } from "@atrium/actors/sites/SiteStore"
import { RecentlyRead } from "@atrium/actors/store/RecentlyRead"
import { SharedReads } from "@atrium/actors/store/SharedReads"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { Context, Effect, Layer, Option, Semaphore, Stream } from "effect"

import type { SiteIndex, SitePart } from "./SiteAnswer.ts"

/** A site as it is served now. */
export interface FoundSite {
  readonly projectId: ProjectId
  readonly index: SiteIndex
}

const { max: pieceBytes } = SiteLimits.sitePieceBytes

/**
 * Sites as this runner serves them. Each request asks the store which upload an address has, so that a switch
 * on any runner counts from the next request on; many at once share one question. The files of an upload
 * and pieces of content never change, and those that were asked for last stay in memory. Source: C-359.
 */
export class SiteFiles extends Context.Service<
  SiteFiles,
  {
    find(asked: AskedSite): Effect.Effect<Option.Option<FoundSite>>
    /** The bytes of a part: the first piece has been read, further ones follow as they are taken. */
    read(projectId: ProjectId, part: SitePart): Effect.Effect<SiteBytes>
  }
>()("@atrium/api/sites/SiteFiles") {
  static readonly layer = Layer.effect(
    SiteFiles,
    Effect.gen(function* () {
      const find = finding(yield* SiteStore, Effect.runForkWith(yield* Effect.context<never>()))
      return { find, read: reading(yield* ObjectStore) }
    })
  )
}

/** Bytes that are there, or that come in pieces. */
export type SiteBytes =
  | { readonly _tag: "Whole"; readonly bytes: Uint8Array }
  | { readonly _tag: "Pieces"; readonly pieces: Stream.Stream<Uint8Array> }

const keyOf = (asked: AskedSite): string =>
  "label" in asked ? `label ${asked.label}` : `port ${asked.port}`

const askedOf = (key: string): AskedSite => {
  const [kind, value = ""] = key.split(" ")
  return kind === "label" ? { label: value } : { port: Number(value) }
}

const finding = (
  store: SiteStore["Service"],
  run: (effect: Effect.Effect<void>) => ReturnType<typeof Effect.runFork<void, never>>
) => {
  const sites = new SharedReads({ load: (key) => store.at(askedOf(key)), run })
  const indexes = new RecentlyRead<SiteIndex>({
    weightMax: SiteLimits.siteIndexFiles.max,
    weightOf: (index) => index.size
  })
  const turns = Semaphore.makeUnsafe(SiteLimits.siteIndexReads.max)

  const indexOf = (uploadId: string): Effect.Effect<SiteIndex> =>
    Effect.suspend(() => {
      const known = indexes.get(uploadId)
      if (known !== undefined) return Effect.succeed(known)
      return turns.withPermit(
        Effect.suspend(() => {
          const meanwhile = indexes.get(uploadId)
          if (meanwhile !== undefined) return Effect.succeed(meanwhile)
          return Effect.map(store.files(uploadId), (files) => {
            const index = new Map(files.map((file) => [file.path, file]))
            // A site that was switched since the question has no files under this upload any more.
            if (index.size > 0) indexes.set(uploadId, index)
            return index
          })
        })
      )
    })

  const look = Effect.fnUntraced(function* (asked: AskedSite) {
    const site = yield* sites.read(keyOf(asked))
    if (Option.isNone(site)) return Option.none<FoundSite>()
    const { projectId, uploadId } = site.value
    return Option.some({ projectId, index: yield* indexOf(uploadId) })
  })

  return (asked: AskedSite) =>
    look(asked).pipe(
      Effect.repeat({
        until: (found) => Option.isNone(found) || found.value.index.size > 0,
        times: 1
      })
    )
}

const reading = (objects: ObjectStore["Service"]) => {
  const pieces = new RecentlyRead<Uint8Array>({
    weightMax: SiteLimits.sitePiecesBytes.max,
    weightOf: (piece) => piece.length
  })

  const piece = (key: string, at: number): Effect.Effect<Uint8Array> =>
    Effect.suspend(() => {
      const name = `${key} ${at}`
      const known = pieces.get(name)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.map(
        objects.slice(key, { from: at * pieceBytes, most: pieceBytes }),
        (found) => {
          const bytes = Option.getOrThrowWith(found, () => new Error(`object ${key} is missing`))
          pieces.set(name, bytes)
          return bytes
        }
      )
    })

  return Effect.fnUntraced(function* (projectId: ProjectId, part: SitePart) {
    const { from, to } = part
    const key = objectKey({ projectId, hash: part.hash }, part.coding)
    if (to < from) return { _tag: "Whole", bytes: new Uint8Array() } satisfies SiteBytes
    const [first, last] = [from, to].map((at) => Math.floor(at / pieceBytes))
    const cut = (bytes: Uint8Array, at: number): Uint8Array =>
      bytes.subarray(Math.max(0, from - at * pieceBytes), to + 1 - at * pieceBytes)
    const head = cut(yield* piece(key, first ?? 0), first ?? 0)
    if (first === last) return { _tag: "Whole", bytes: head } satisfies SiteBytes
    const rest = Stream.range((first ?? 0) + 1, last ?? 0, 1).pipe(
      Stream.mapEffect((at) => Effect.map(piece(key, at), (bytes) => cut(bytes, at)))
    )
    const all = Stream.concat(Stream.succeed(head), rest)
    return { _tag: "Pieces", pieces: all } satisfies SiteBytes
  })
}
