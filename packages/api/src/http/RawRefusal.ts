import { STATUS_CODES } from "node:http"

/** Any refusal as the bytes of a last answer, where Node has no response to write to. Source: D-02. */
export const rawRefusal = (
  refusal: { readonly _tag: string; readonly message: string },
  status: number,
  headers: ReadonlyArray<string> = []
): string => {
  const body = JSON.stringify({ error: { code: refusal._tag, message: refusal.message } })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "connection: close",
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
    "",
    body
  ].join("\r\n")
}
