import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

import { Effect, Exit, Tracer } from "effect"

import { StartRefused } from "../start/ServiceConfig.ts"
import {
  badRequest,
  bears,
  type ControlAnswer,
  notFound,
  readBody,
  refused,
  send,
  unauthenticated
} from "./ControlRequest.ts"
import type { Hooks } from "./Hook.ts"

const root = "/_control"
const host = "127.0.0.1"

/** Where the listener is, and what opens it. The token is made at each start and stored nowhere. */
export interface ControlAddress {
  readonly url: string
  readonly token: string
}

interface Serving {
  readonly port: number
  readonly version: string
  readonly hooks: Hooks
}

/** Answers on a port of this machine alone, for as long as the scope lasts. Source: D-49. */
export const serveControl = Effect.fnUntraced(function* ({ port, version, hooks }: Serving) {
  const token = `ctl_${randomBytes(32).toString("base64url")}`
  const named = [...new Set(Object.keys(hooks).map((path) => path.split("/")[0] ?? ""))]
  const run = Effect.runPromiseWith(yield* Effect.context<never>())

  const answerTo = async (request: IncomingMessage): Promise<ControlAnswer> => {
    const path = request.url ?? ""
    if (!bears(request, token)) return unauthenticated
    if (request.method === "GET" && path === root) {
      return { status: 200, body: { service: "Atrium", version, hooks: named } }
    }
    const hook = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : ""
    const perform = Object.hasOwn(hooks, hook) ? hooks[hook] : undefined
    if (request.method !== "POST" || perform === undefined) return notFound
    const body = await readBody(request)
    if ("status" in body) return body
    return run(answered(perform(body.value), hook))
  }

  const server = createServer((request, response: ServerResponse) => {
    // A caller who goes away in the middle of a body gets no answer.
    answerTo(request).then(
      (answer) => send(response, answer),
      () => response.destroy()
    )
  })
  yield* Effect.acquireRelease(open(server, port), () => shut(server))
  const address = server.address()
  const taken = typeof address === "object" && address !== null ? address.port : port
  const control: ControlAddress = { url: `http://${host}:${taken}`, token }
  return control
})

/** A hook that fails in a way that it does not name is told to its caller, who tests. */
const answered = (answer: ReturnType<Hooks[string]>, path: string): Effect.Effect<ControlAnswer> =>
  Effect.exit(answer).pipe(
    // A hook's own queries are no steps of the service.
    Effect.provideService(Tracer.Tracer, Tracer.Tracer.defaultValue()),
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed({ status: 200, body: exit.value })
      const reason = exit.cause.reasons.find((each) => each._tag === "Fail")
      if (reason !== undefined) return Effect.succeed(badRequest(reason.error.message))
      return Effect.as(
        Effect.logError(`the hook ${path} failed`, exit.cause),
        refused(500, { _tag: "E_INTERNAL", message: "the hook failed; the log says why" })
      )
    })
  )

const open = (server: Server, port: number): Effect.Effect<Server, StartRefused> =>
  Effect.callback((resume) => {
    server.once("error", ({ message }) =>
      resume(
        Effect.fail(
          new StartRefused({ message: `The control port ${port} cannot be opened: ${message}.` })
        )
      )
    )
    server.listen(port, host, () => resume(Effect.succeed(server)))
  })

const shut = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
