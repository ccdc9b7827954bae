import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

import type { ProjectId } from "@atrium/domain/shared/Ids"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { Effect, Semaphore } from "effect"

import type { Put } from "../objects/ObjectRows.ts"
import { sha256Of } from "../objects/Sha256.ts"

/** The folder of the stored objects. */
export const contentFolder = "sites"

/** How the stored bytes of a content are coded; `identity` = as they were uploaded. */
export const Codings = ["br", "gzip", "identity"] as const
export type Coding = (typeof Codings)[number]

/** A content in its codings; `null` = it is not stored in that one. */
export interface ContentCodings {
  readonly bytes: number
  readonly gzipBytes: number | null
  readonly brotliBytes: number | null
}

/** A content as it is stored: its row, and the objects with its bytes. */
export interface PackedContent extends ContentCodings {
  readonly projectId: ProjectId
  readonly hash: string
  readonly objects: ReadonlyArray<Put>
}

/** Names a content: projects share none, so that nobody learns what another one holds. */
export interface ContentKey {
  readonly projectId: ProjectId
  readonly hash: string
}

const endings: Record<Coding, string> = { identity: "", gzip: ".gz", br: ".br" }

/** The key of the object that holds a content in a coding. */
export const objectKey = ({ projectId, hash }: ContentKey, coding: Coding): string =>
  `${contentFolder}/${projectId}/${hash}${endings[coding]}`

/** The keys of all objects of a content. */
export const objectKeys = (content: ContentKey): ReadonlyArray<string> =>
  Codings.map((coding) => objectKey(content, coding))

/** SHA-256 in hex. */
export const contentHash = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(sha256Of(bytes), (digest) => Buffer.from(digest).toString("hex"))

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)
/** Higher ones take many times as long for a few per cent. */
const gzipLevel = 6
const brotliQuality = 5

/** Compression takes threads of Node that DNS, files and snapshots share. */
const turns = Semaphore.makeUnsafe(SiteLimits.siteCompressions.max)

const smaller = (packed: Uint8Array, bytes: Uint8Array): Uint8Array | null =>
  packed.length < bytes.length ? packed : null

/** The content in its codings: a compressed one only where it is smaller. Node compresses on other threads. */
export const packContent = Effect.fnUntraced(function* (
  key: ContentKey,
  bytes: Uint8Array,
  isCompressible: boolean
) {
  const worthIt = isCompressible && bytes.length > SiteLimits.siteCompressedFrom.max
  const { asGzip, asBrotli } = worthIt
    ? yield* turns.withPermit(Effect.promise(() => compressed(bytes)))
    : { asGzip: null, asBrotli: null }
  const put = (coding: Coding, coded: Uint8Array | null): ReadonlyArray<Put> =>
    coded === null ? [] : [{ key: objectKey(key, coding), bytes: coded, manifest: {} }]
  const packed: PackedContent = {
    ...key,
    bytes: bytes.length,
    gzipBytes: asGzip?.length ?? null,
    brotliBytes: asBrotli?.length ?? null,
    objects: [...put("identity", bytes), ...put("gzip", asGzip), ...put("br", asBrotli)]
  }
  return packed
})

const compressed = async (bytes: Uint8Array) => ({
  asGzip: smaller(await gzipped(bytes, { level: gzipLevel }), bytes),
  asBrotli: smaller(await brotlied(bytes, { params: brotliParams(bytes.length) }), bytes)
})

const brotliParams = (bytes: number) => ({
  [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
  [constants.BROTLI_PARAM_SIZE_HINT]: bytes
})
