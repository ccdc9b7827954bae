import { createServer } from "node:http"
import { networkInterfaces } from "node:os"

import type { Trial } from "./Trial.ts"

/** A request as it came to a server of the check's own. */
export interface Arrived {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly authorization: string | null
}

export interface Listener {
  readonly port: number
  readonly arrived: ReadonlyArray<Arrived>
}

/** What a listener answers; the body is JSON. */
export type Answers = (request: Arrived) => { readonly status?: number; readonly body: unknown }

/** A server that remembers what comes. It ends with the check. @param host an address of this machine */
export const listen = async (
  trial: Pick<Trial, "later">,
  { host, answer }: { readonly host: string; readonly answer: Answers }
): Promise<Listener> => {
  const arrived: Array<Arrived> = []
  const server = createServer((request, response) => {
    const { method = "", url: path = "" } = request
    const authorization = request.headers.authorization ?? null
    const came = { method, path, authorization }
    arrived.push(came)
    request.resume()
    const { status = 200, body } = answer(came)
    const headers = { "content-type": "application/json; charset=utf-8" }
    response.writeHead(status, headers).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject)
    server.listen(0, host, resolve)
  })
  trial.later(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, arrived }
}

/** An address of this machine that is not known as its own; 127.0.0.2 where there is no network. */
export const outsideAddress = (): string => {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outside = all.find(({ family, internal }) => family === "IPv4" && !internal)
  return outside?.address ?? "127.0.0.2"
}
