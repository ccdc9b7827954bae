import type { Coding } from "@atrium/actors/sites/SiteContent"
import type { ServedFile } from "@atrium/actors/sites/SiteRows"
import { contentTypeOf, isCompressible, packedCodingOf } from "@atrium/domain/sites/ContentTypes"
import { hasHashedName } from "@atrium/domain/sites/HashedName"
import { lookUp } from "@atrium/domain/sites/SiteLookup"

import { listed } from "../http/ListHeader.ts"
import { acceptedCoding } from "./AcceptedCoding.ts"
import { type ByteRange, byteRangeOf } from "./ByteRange.ts"

/** The files of a site, by path. */
export type SiteIndex = ReadonlyMap<string, ServedFile>

/** The parts of a request that decide its answer. */
export interface SiteRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The bytes that an answer has: of a file in a coding. */
export interface SitePart extends ByteRange {
  readonly hash: string
  readonly coding: Coding
}

/** An answer; its body is text of the service's own, a part of a file, or nothing. */
export interface SiteAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | SitePart | null
}

/**
 * On every answer. A site's page gets a process of its own where the browser has one to give, and no
 * file runs as another type than it has.
 */
const always = { "x-content-type-options": "nosniff", "origin-agent-cluster": "?1" }

/** A year, as long as a cache may ever keep something. */
const forever = "public, max-age=31536000, immutable"

/** An answer without a file of the site: one sentence. */
export const plainAnswer = (
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {}
): SiteAnswer => ({
  status,
  headers: {
    ...always,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    ...headers
  },
  body: `${sentence}\n`
})

/** Answers where no site is. */
export const noSite = plainAnswer(404, "There is no site at this address.")

const malformed = plainAnswer(400, "The address cannot be read: a % is not that of a character.")
const missing = plainAnswer(404, "The site has no such page.")

/** Answers a request to a site. Source: C-359. */
export const siteAnswer = (index: SiteIndex, request: SiteRequest): SiteAnswer => {
  const { method, target, headers } = request
  if (method !== "GET" && method !== "HEAD") {
    return plainAnswer(405, `${method}: only GET and HEAD.`, { allow: "GET, HEAD" })
  }
  const found = lookUp((path) => index.has(path), target)
  switch (found._tag) {
    case "Malformed":
      return malformed
    case "Folder":
      return plainAnswer(301, `The page is at ${found.location}`, {
        location: found.location,
        "cache-control": "no-cache"
      })
    case "Missing": {
      const page = index.get(found.page ?? "")
      return page === undefined ? missing : wholeFile(page, headers, 404)
    }
    case "File": {
      const file = index.get(found.path)
      return file === undefined ? missing : fileAnswer(file, request)
    }
  }
}

const sizeIn = (file: ServedFile, coding: Coding): number | null => {
  switch (coding) {
    case "identity":
      return file.bytes
    case "gzip":
      return file.gzipBytes
    case "br":
      return file.brotliBytes
  }
}

const storedCodings = (file: ServedFile): ReadonlyArray<Coding> =>
  (["br", "gzip"] as const).filter((coding) => sizeIn(file, coding) !== null)

/** Each coding has bytes, and so a tag, of its own. */
const tagOf = (file: ServedFile, coding: Coding): string =>
  coding === "identity" ? `"${file.hash}"` : `"${file.hash}-${coding}"`

const fileHeaders = (file: ServedFile, coding: Coding): Record<string, string> => {
  // A build has packed the file, or the service has at its upload; never both.
  const sent = coding === "identity" ? packedCodingOf(file.path) : coding
  return {
    ...always,
    "content-type": contentTypeOf(file.path),
    "cache-control": hasHashedName(file.path) ? forever : "no-cache",
    "accept-ranges": "bytes",
    etag: tagOf(file, coding),
    ...(sent === null ? {} : { "content-encoding": sent }),
    ...(isCompressible(file.path) ? { vary: "accept-encoding" } : {})
  }
}

/** Whether the client has these bytes already; a tag may be marked as weak on its way. */
const isKnown = (header: string | undefined, tag: string): boolean =>
  listed(header).some((each) => each === "*" || each.replace(/^W\//, "") === tag)

const wholeFile = (
  file: ServedFile,
  headers: SiteRequest["headers"],
  status: number
): SiteAnswer => {
  const coding = acceptedCoding(headers["accept-encoding"], storedCodings(file))
  const bytes = sizeIn(file, coding) ?? file.bytes
  return {
    status,
    headers: { ...fileHeaders(file, coding), "content-length": String(bytes) },
    body: { hash: file.hash, coding, from: 0, to: bytes - 1 }
  }
}

const fileAnswer = (file: ServedFile, { method, headers }: SiteRequest): SiteAnswer => {
  const whole = wholeFile(file, headers, 200)
  const ifNoneMatch = headers["if-none-match"]
  if (isKnown(ifNoneMatch, whole.headers["etag"] ?? "")) {
    const { etag = "", vary, "cache-control": caching = "" } = whole.headers
    const varies = vary === undefined ? {} : { vary }
    return {
      status: 304,
      headers: { ...always, etag, ...varies, "cache-control": caching },
      body: null
    }
  }
  // A range is one of the bytes as they were uploaded: part of a compressed file is of no use.
  const ifRange = headers["if-range"]
  const isSame = ifRange === undefined || ifRange === tagOf(file, "identity")
  const range = method === "GET" && isSame ? byteRangeOf(headers["range"], file.bytes) : null
  if (range === null) return whole
  if (range === "outside") {
    return plainAnswer(416, "The file has no such bytes.", {
      "content-range": `bytes */${file.bytes}`
    })
  }
  return {
    status: 206,
    headers: {
      ...fileHeaders(file, "identity"),
      "content-range": `bytes ${range.from}-${range.to}/${file.bytes}`,
      "content-length": String(range.to - range.from + 1)
    },
    body: { hash: file.hash, coding: "identity", ...range }
  }
}
