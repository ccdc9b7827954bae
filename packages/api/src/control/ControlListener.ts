import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

import { BadRequest, NotFound, Unauthenticated } from "@atrium/domain/shared/Refusal"
import { MiB } from "@atrium/wire/limits/Limit"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Effect, Exit, Tracer } from "effect"

import { StartRefused } from "../start/ServiceConfig.ts"
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

/** The largest body: an object that is put, in base64. */
const bodyBytesMax = 32 * MiB

/** An answer of the control listener. */
interface ControlAnswer {
  readonly status: number
  readonly body: object
}

const refused = (
  status: number,
  refusal: { readonly _tag: string; readonly message: string }
): ControlAnswer => ({
  status,
  body: { error: { code: refusal._tag, message: serviceMessage(refusal.message) } }
})

const badRequest = (message: string): ControlAnswer =>
  refused(400, new BadRequest({ message: serviceMessage(message) }))

const notFound = refused(404, new NotFound())
const unauthenticated = refused(401, new Unauthenticated())

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Whether the request bears the token of this start. */
const bears = ({ headers }: IncomingMessage, token: string): boolean =>
  timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`))

/** The JSON of a body, or the refusal of a body that is no JSON. */
const readBody = async (
  request: IncomingMessage
): Promise<{ readonly value: unknown } | ControlAnswer> => {
  const parts: Array<Buffer> = []
  let bytes = 0
  for await (const part of request) {
    // Node's requests are streams of buffers unless told otherwise.
    const chunk = Buffer.from(part)
    bytes += chunk.length
    if (bytes > bodyBytesMax) return badRequest(`body: over ${bodyBytesMax} bytes`)
    parts.push(chunk)
  }
  try {
    const text = Buffer.concat(parts).toString("utf8")
    const value: unknown = text === "" ? {} : JSON.parse(text)
    return { value }
  } catch {
    return badRequest("body: no JSON")
  }
}

const send = (response: ServerResponse, { status, body }: ControlAnswer): void => {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
  response.end(JSON.stringify(body))
}
