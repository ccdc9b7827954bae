import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"

import { BadRequest, NotFound, Unauthenticated } from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"

/** The largest body: an object that is put, in base64. */
const bodyBytesMax = 32 * 1024 * 1024

/** An answer of the control listener. */
export interface ControlAnswer {
  readonly status: number
  readonly body: object
}

export const refused = (
  status: number,
  refusal: { readonly _tag: string; readonly message: string }
): ControlAnswer => ({
  status,
  body: { error: { code: refusal._tag, message: serviceMessage(refusal.message) } }
})

export const badRequest = (message: string): ControlAnswer =>
  refused(400, new BadRequest({ message: serviceMessage(message) }))

export const notFound = refused(404, new NotFound())
export const unauthenticated = refused(401, new Unauthenticated())

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Whether the request bears the token of this start. */
export const bears = ({ headers }: IncomingMessage, token: string): boolean =>
  timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`))

/** The JSON of a body, or the refusal of one that is none. */
export const readBody = async (
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

export const send = (response: ServerResponse, { status, body }: ControlAnswer): void => {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
  response.end(JSON.stringify(body))
}
