import type { IncomingMessage } from "node:http"

import { BadRequest } from "@atrium/domain/shared/Refusal"

import { type RawRefusal, rawRefusal } from "./RawRefusal.ts"

type Head = Pick<IncomingMessage, "httpVersion" | "url" | "headersDistinct">

const isTarget = (target: string): boolean =>
  target.startsWith("/") || target === "*" || URL.canParse(target)

/**
 * The fault in the head of a request that Node's parser lets pass; `null` = none. It is looked for before
 * the request is routed. Source: RFC 9112, sections 2.3, 3.2 and 6.1.
 */
export const faultOf = ({ httpVersion, url = "", headersDistinct }: Head): string | null => {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "request line: only HTTP/1.1 is spoken"
  if (!isTarget(url)) return "request line: the target is not a path"
  const hosts = headersDistinct["host"]?.length ?? 0
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return "header host: must be there once"
  const codings = headersDistinct["transfer-encoding"] ?? []
  if (codings.some((coding) => coding.toLowerCase() !== "chunked") || codings.length > 1)
    return "header transfer-encoding: only chunked is taken"
  return null
}

/** Whether a request asks for a WebSocket. An upgrade to another protocol is ignored, not refused. */
export const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket"

const badRequest = (message: string, status = 400): RawRefusal =>
  rawRefusal(new BadRequest({ message }), status)

/** A refusal for {@link faultOf}, as the last answer of a connection. */
export const faultRefusal = (fault: string): RawRefusal => badRequest(fault)

/** The last answer to what Node's parser cannot read as a request. */
export const unreadableRefusal = ({ code }: NodeJS.ErrnoException): RawRefusal => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return badRequest("head of the request: over 16 KiB", 431)
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return badRequest("the request did not come in time", 408)
    case undefined:
    default:
      return badRequest("the request is not HTTP/1.1")
  }
}
