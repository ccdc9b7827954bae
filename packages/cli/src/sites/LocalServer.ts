import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { Effect } from "effect"

import { Misused } from "../CommandFailure.ts"

/** The ports that are tried one after the other, so that a page keeps its origin from run to run. */
const ports = { first: 8790, count: 20 }

/** Answers a GET or a HEAD. A rejection ends the connection. */
export type LocalAnswer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Serves a page to this machine alone, for as long as the scope is open. Source: C-372.
 *
 * @param port `null` = the first that is free
 * @returns the port
 */
export const startLocalServer = Effect.fn("LocalServer.start")(function* (
  answer: LocalAnswer,
  port: number | null
) {
  const server = createServer((request, response) => {
    if (isRefused(request, response)) return
    answer(request, response).catch(() => response.destroy())
  })
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
  const tried = port === null ? Array.from(Array(ports.count), (_, at) => ports.first + at) : [port]
  for (const each of [...tried, ...(port === null ? [0] : [])]) {
    if (yield* listens(server, each)) {
      // The server listens on TCP, so its address is no pipe.
      return (server.address() as AddressInfo).port
    }
  }
  return yield* new Misused({ message: `--site-port: ${port} is in use, or not allowed` })
})

/** Ends an answer with a sentence. */
export const refuse = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`)
}

const listens = (server: Server, port: number) =>
  Effect.callback<boolean>((resume) => {
    const failed = (): void => resume(Effect.succeed(false))
    server.once("error", failed)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", failed)
      resume(Effect.succeed(true))
    })
  })

const isRefused = (request: IncomingMessage, response: ServerResponse): boolean => {
  response.setHeader("cache-control", "no-store")
  response.setHeader("x-content-type-options", "nosniff")
  // A page of another name that leads to this machine is a stranger's. Source: C-372.
  if (!isLocal(request.headers.host)) {
    refuse(response, 403, "this is no address of this page")
    return true
  }
  if (request.method === "GET" || request.method === "HEAD") return false
  refuse(response.setHeader("allow", "GET, HEAD"), 405, "a page is only read")
  return true
}

/** Names that no other machine's owner can give to this one. */
const isLocal = (host = ""): boolean =>
  /^(?:(?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(host)
