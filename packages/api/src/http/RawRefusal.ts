import { STATUS_CODES } from "node:http"

import { requestIdHeader } from "./RequestId.ts"

/** A last answer where Node has no response to write to: whole once it has the id of its request. */
export interface RawRefusal {
  readonly head: ReadonlyArray<string>
  readonly body: string
}

/** Any refusal as a last answer. Source: D-02. */
export const rawRefusal = (
  refusal: { readonly _tag: string; readonly message: string },
  status: number,
  headers: ReadonlyArray<string> = []
): RawRefusal => {
  const body = JSON.stringify({ error: { code: refusal._tag, message: refusal.message } })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "connection: close",
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers
  ]
  return { head, body }
}

/** The bytes of a last answer. */
export const bytesOf = ({ head, body }: RawRefusal, requestId: string): string =>
  [...head, `${requestIdHeader}: ${requestId}`, "", body].join("\r\n")
