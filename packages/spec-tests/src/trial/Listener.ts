import { createServer } from "node:http"
import { networkInterfaces } from "node:os"

import type { Trial } from "./Trial.ts"

/** A request as it came to a server of the check's own. */
export interface Arrived {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly authorization: string | null
  readonly contentType: string | null
  readonly body: Uint8Array
}

export interface Listener {
  readonly port: number
  readonly arrived: ReadonlyArray<Arrived>
}

/** The answer of a listener; the body is JSON. */
export type Answers = (request: Arrived) => Answered | Promise<Answered>

interface Answered {
  /** Default 200. */
  readonly status?: number
  readonly body: unknown
}

/** A server that remembers what comes. It ends with the check. @param host an address of this machine */
export const listen = async (
  trial: Pick<Trial, "later">,
  { host, answer }: { readonly host: string; readonly answer: Answers }
): Promise<Listener> => {
  const arrived: Array<Arrived> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      const { method = "", url: path = "", headers } = request
      const authorization = headers.authorization ?? null
      const contentType = headers["content-type"] ?? null
      const came = { method, path, authorization, contentType, body: Buffer.concat(chunks) }
      arrived.push(came)
      const { status, body } = await answered(answer, came)
      const type = { "content-type": "application/json; charset=utf-8" }
      response.writeHead(status ?? 200, type).end(JSON.stringify(body))
    })
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

/** The asking side sees a fault in the check's own answer. */
const answered = async (answer: Answers, came: Arrived): Promise<Answered> => {
  try {
    return await answer(came)
  } catch (cause) {
    return { status: 500, body: { error: String(cause) } }
  }
}

/** An address of this machine that is not known as its own; 127.0.0.2 where there is no network. */
export const outsideAddress = (): string => {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outside = all.find(({ family, internal }) => family === "IPv4" && !internal)
  return outside?.address ?? "127.0.0.2"
}
