import { Codings, type Coding } from "@atrium/actors/sites/SiteContent"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { acceptedCoding } from "../sites/AcceptedCoding.ts"
import { listed } from "./ListHeader.ts"

/** A file whose name holds the hash of its content, in the codings in which it is stored. */
export interface HashedFile {
  readonly contentType: string
  readonly bytes: Readonly<Partial<Record<Coding, Uint8Array>> & { identity: Uint8Array }>
}

/** The name of the file below a folder that a request asks for. */
export const nameIn = (folder: string, url: string): string =>
  url.slice(folder.length).replace(/\?.*$/s, "")

/**
 * Answers with the file, in the coding that the browser likes best. It never asks for it again.
 *
 * @param more headers of every answer
 */
export const hashedFile = Effect.fnUntraced(function* (
  name: string,
  { contentType, bytes }: HashedFile,
  more: Readonly<Record<string, string>> = {}
) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const stored = Codings.filter((coding) => bytes[coding] !== undefined)
  const coding = acceptedCoding(headers["accept-encoding"], stored)
  const fields = {
    etag: `"${name}.${coding}"`,
    vary: "accept-encoding",
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    ...more
  }
  if (listed(headers["if-none-match"]).includes(fields.etag)) {
    return HttpServerResponse.empty({ status: 304, headers: fields })
  }
  return HttpServerResponse.uint8Array(bytes[coding] ?? bytes.identity, {
    contentType,
    headers: coding === "identity" ? fields : { ...fields, "content-encoding": coding }
  })
})
