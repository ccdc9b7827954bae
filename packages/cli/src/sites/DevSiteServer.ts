import { createReadStream } from "node:fs"
import { readFile } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"

import { contentTypeOf, packedCodingOf } from "@atrium/domain/sites/ContentTypes"
import { lookUp } from "@atrium/domain/sites/SiteLookup"
import { Effect } from "effect"

import type { LiveReload } from "./LiveReload.ts"
import { refuse, startLocalServer } from "./LocalServer.ts"
import { publishedFile } from "./PublishedFile.ts"

/** The page as it is now. */
export interface ShownSite {
  /** Absolute. */
  readonly root: string
  /** What the bundler made of the client, by name: it goes before the files of the folder. */
  readonly bundled: ReadonlyMap<string, Uint8Array>
}

interface DevSite {
  readonly shown: () => ShownSite
  readonly reload: LiveReload
}

/**
 * Serves the page of a project to this machine alone, for as long as the scope is open. Source: C-372.
 *
 * @param port `null` = the first that is free
 * @returns the port
 */
export const startDevSite = Effect.fn("DevSiteServer.start")(function* (
  site: DevSite,
  port: number | null
) {
  const served = yield* startLocalServer(
    (request, response) => answer(site, request, response),
    port
  )
  // Those who wait for a change would hold up its end.
  yield* Effect.addFinalizer(() => Effect.sync(() => site.reload.end()))
  return served
})

const answer = async (
  site: DevSite,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const target = request.url ?? "/"
  const { reload, shown } = site
  if (reload.answers(target.replace(/\?.*$/s, ""), response)) return
  const { root, bundled } = shown()
  const has = (path: string): boolean => bundled.has(path) || publishedFile(root, path) !== null
  const found = lookUp(has, target)
  switch (found._tag) {
    case "File":
      return await sendFile(site, { request, response, path: found.path })
    case "Folder":
      return refuse(response.setHeader("location", found.location), 301, "this is a folder")
    case "Malformed":
      return refuse(response, 400, "the address is not well-formed")
    case "Missing":
      response.statusCode = 404
      return found.page === null
        ? refuse(response, 404, "the site has no such file")
        : await sendFile(site, { request, response, path: found.page })
  }
}

interface Answer {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
}

const sendFile = async ({ reload, shown }: DevSite, answered: Answer): Promise<void> => {
  const { request, response, path } = answered
  const { root, bundled } = shown()
  response.setHeader("content-type", contentTypeOf(path))
  const packed = packedCodingOf(path)
  if (packed !== null) response.setHeader("content-encoding", packed)
  const made = bundled.get(path)
  if (made !== undefined) return void response.end(made)
  const absolute = publishedFile(root, path)
  // It was there a moment ago.
  if (absolute === null) return void response.destroy()
  if (/\.html?$/i.test(path)) return void response.end(reload.withScript(await readFile(absolute)))
  if (request.method === "HEAD") return void response.end()
  const file = createReadStream(absolute)
  file.on("error", () => response.destroy())
  response.on("close", () => file.destroy())
  file.pipe(response)
}
