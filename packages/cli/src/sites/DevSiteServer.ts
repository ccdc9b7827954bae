import { createReadStream } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { contentTypeOf, packedCodingOf } from "@atrium/domain/sites/ContentTypes"
import { lookUp } from "@atrium/domain/sites/SiteLookup"
import { Effect } from "effect"

import { Misused } from "../CommandFailure.ts"
import type { LiveReload } from "./LiveReload.ts"
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

/** The ports that are tried one after the other, so that a page keeps its origin from run to run. */
const ports = { first: 8790, count: 20 }

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
  const server = createServer((request, response) => {
    answer(site, request, response).catch(() => response.destroy())
  })
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      site.reload.end()
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
  const tried = port === null ? Array.from(Array(ports.count), (_, at) => ports.first + at) : [port]
  for (const each of [...tried, ...(port === null ? [0] : [])]) {
    if (yield* listens(server, each)) {
      // It listens on TCP, so the address is none of a pipe.
      return (server.address() as AddressInfo).port
    }
  }
  return yield* new Misused({ message: `--site-port: ${port} is in use, or not allowed` })
})

const listens = (server: Server, port: number) =>
  Effect.callback<boolean>((resume) => {
    const failed = (): void => resume(Effect.succeed(false))
    server.once("error", failed)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", failed)
      resume(Effect.succeed(true))
    })
  })

const answer = async (
  site: DevSite,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  response.setHeader("cache-control", "no-store")
  response.setHeader("x-content-type-options", "nosniff")
  const target = request.url ?? "/"
  // A page of another name that leads to this machine is a stranger's. Source: C-372.
  if (!isLocal(request.headers.host))
    return refuse(response, 403, "this is no address of this page")
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refuse(response.setHeader("allow", "GET, HEAD"), 405, "a page is only read")
  }
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

/** Names that no other machine's owner can give to this one. */
const isLocal = (host = ""): boolean =>
  /^(?:(?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(host)

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

const refuse = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`)
}
