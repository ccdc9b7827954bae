import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse
} from "node:http"
import type { Duplex } from "node:stream"

import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Effect, type Scope } from "effect"

import packageJson from "../../package.json" with { type: "json" }
import { bytesOf, type RawRefusal, rawRefusal } from "../http/RawRefusal.ts"
import { faultOf, faultRefusal, isWebSocket } from "../http/RequestFault.ts"
import { requestIdHeader, requestIdOf } from "../http/RequestId.ts"
import { ownPageHeader } from "../http/SameOrigin.ts"
import type { Upgrade } from "../router/RoomRouter.ts"
import { LastAnswers } from "./LastAnswers.ts"
import { PeerConnections } from "./PeerConnections.ts"
import { type ServiceConfig, StartRefused } from "./ServiceConfig.ts"

/** The handlers that answer once the service is up. */
export interface ListenerHandlers {
  request(request: IncomingMessage, response: ServerResponse): void
  /** @returns the last answer to a connection that becomes no WebSocket, `null` when it was taken */
  upgrade(upgrade: Upgrade): RawRefusal | null
}

/** The service's one port. It is taken before anything else starts, so that a taken one costs nothing. */
export interface Listener {
  readonly url: string
  readonly port: number
  /** From now on requests are answered; until then they get 503. */
  serve(handlers: ListenerHandlers): void
}

const starting = new NotReady({ message: "the service is starting" })

const notYet: ListenerHandlers = {
  request: (_request, response) => {
    response.writeHead(503, {
      "content-type": "application/json; charset=utf-8",
      "retry-after": "1"
    })
    response.end(JSON.stringify({ error: { code: starting._tag, message: starting.message } }))
  },
  upgrade: () => rawRefusal(starting, 503, ["retry-after: 1"])
}

const settings: ServerOptions = {
  headersTimeout: HttpLimits.requestHead.ms,
  requestTimeout: HttpLimits.request.ms,
  connectionsCheckingInterval: HttpLimits.requestLook.ms,
  maxHeaderSize: HttpLimits.requestHeadBytes.max,
  // A header that may be there once and is there twice says neither.
  joinDuplicateHeaders: true,
  // Node's own refusal has no body.
  requireHostHeader: false,
  shouldUpgradeCallback: isWebSocket
}

export const listen = (
  config: ServiceConfig,
  peers = new PeerConnections(config.addresses)
): Effect.Effect<Listener, StartRefused, Scope.Scope> =>
  Effect.gen(function* () {
    let handlers = notYet
    const scope: Scope.Scope = yield* Effect.scope
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const last = new LastAnswers((effect) => void run(Effect.forkIn(effect, scope)))
    const refused = (request: IncomingMessage, fault: string): string =>
      bytesOf(faultRefusal(fault), requestIdOf(request))
    const server = createServer(settings, (request, response) => {
      // Every answer has this header, as an answer's own headers are added to it.
      response.setHeader(requestIdHeader, requestIdOf(request))
      // A page of another version says so. Behind a balancer each answer may be of another runner.
      if (request.headers[ownPageHeader] !== undefined) {
        response.setHeader("x-atrium-version", packageJson.version)
      }
      if (!last.begins(response)) return
      const fault = faultOf(request)
      if (fault === null) handlers.request(request, response)
      else last.refuse(request.socket, refused(request, fault), response)
    })
    server.on("clientError", (error, stream) => last.unreadable(error, stream))
    server.on("checkExpectation", (request) =>
      last.refuse(request.socket, refused(request, "header expect: only 100-continue is met"))
    )
    server.on("connect", (request, stream) =>
      last.refuse(stream, refused(request, "request line: CONNECT is not for here"))
    )
    server.on("upgrade", (request, stream, head) => {
      peers.left(stream)
      // A peer that goes away while it is being served is no reason to fall.
      stream.on("error", () => stream.destroy())
      const fault = faultOf(request)
      const refusal =
        fault === null ? handlers.upgrade({ request, stream, head }) : faultRefusal(fault)
      if (refusal !== null) last.refuse(stream, bytesOf(refusal, requestIdOf(request)))
    })
    const streams = new Set<Duplex>()
    server.on("connection", (stream) => {
      if (!peers.came(stream)) return void stream.destroy()
      streams.add(stream)
      stream.once("close", () => streams.delete(stream))
    })
    yield* Effect.acquireRelease(open(server, config), () => shut(server, streams))
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

/** Clients that can be told know by now that the service ends; the service waits for no other connection. */
const shut = (server: Server, streams: ReadonlySet<Duplex>): Effect.Effect<void> => {
  const closed = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
  const cutOff = Effect.delay(
    Effect.sync(() => {
      for (const stream of streams) stream.destroy()
    }),
    HttpLimits.lastAnswer.ms
  )
  return Effect.raceFirst(closed, Effect.andThen(cutOff, Effect.never))
}
