import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

import { Effect, type Scope } from "effect"

import type { Upgrade } from "../router/RoomRouter.ts"
import { type ServiceConfig, StartRefused } from "./ServiceConfig.ts"

/** What answers once the service is up. */
export interface ListenerHandlers {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(upgrade: Upgrade): void
}

/** The service's one port. It is taken before anything else starts, so that a taken one costs nothing. */
export interface Listener {
  readonly url: string
  readonly port: number
  /** From now on requests are answered; until then they get 503. */
  serve(handlers: ListenerHandlers): void
}

const starting = JSON.stringify({
  error: { code: "E_NOT_READY", message: "the service is starting" }
})

const notYet: ListenerHandlers = {
  request: (_request, response) => {
    response.writeHead(503, {
      "content-type": "application/json; charset=utf-8",
      "retry-after": "1"
    })
    response.end(starting)
  },
  upgrade: ({ stream }) => {
    stream.end("HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\r\n")
  }
}

export const listen = (config: ServiceConfig): Effect.Effect<Listener, StartRefused, Scope.Scope> =>
  Effect.gen(function* () {
    let handlers = notYet
    const server = createServer((request, response) => handlers.request(request, response))
    server.on("upgrade", (request, stream, head) => {
      // A peer that goes away while it is being served is no reason to fall.
      stream.on("error", () => stream.destroy())
      handlers.upgrade({ request, stream, head })
    })
    yield* Effect.acquireRelease(open(server, config), () => shut(server))
    const address = server.address()
    const port = address !== null && typeof address === "object" ? address.port : config.port
    const host = config.host === "0.0.0.0" || config.host === "::" ? "127.0.0.1" : config.host
    return {
      url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
      port,
      serve: (served: ListenerHandlers) => {
        handlers = served
      }
    }
  })

const open = (server: Server, config: ServiceConfig): Effect.Effect<void, StartRefused> =>
  Effect.callback((resume) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(new StartRefused({ message: sentenceOf(cause, config) })))
    )
    server.listen(config.port, config.host, () => resume(Effect.void))
  })

const sentenceOf = (cause: NodeJS.ErrnoException, { host, port }: ServiceConfig): string => {
  switch (cause.code) {
    case "EADDRINUSE":
      return `Port ${port} is taken; stop what uses it or start with another: PORT=${port + 1} npm start.`
    case "EACCES":
      return `Port ${port} may not be opened by this user; start with another: PORT=8787 npm start.`
    case undefined:
    default:
      return `${host}:${port} cannot be opened: ${cause.message}.`
  }
}

const shut = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
