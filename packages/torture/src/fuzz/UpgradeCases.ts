import { requestOf, upgradeLines } from "@atrium/api/testing/WebSocketBytes"

import { type CaseContext, Unexpected } from "./CaseContext.ts"
import { mutate } from "./Mutation.ts"
import { socketCase, type SocketCase } from "./SocketCase.ts"
import type { Wire } from "./Wire.ts"

/** Longest wait for an answer to what may not even be a whole request. */
const HalfRequestMs = 1_000

const goodLines = (context: CaseContext): ReadonlyArray<string> =>
  upgradeLines(`/v1/rooms/${context.stage.project}/fuzzed-0`)

/** Waits for the answer and demands a refusal with one of these. */
const refused = async (
  context: CaseContext,
  wire: Wire,
  statuses: ReadonlyArray<number>
): Promise<void> => {
  await context.expect(wire, "an answer", () => wire.status !== 0)
  context.tally.count("http", String(wire.status))
  if (!statuses.includes(wire.status)) {
    throw new Unexpected(`HTTP ${wire.status} instead of ${statuses.join(" or ")}`)
  }
}

const send = (context: CaseContext, kind: string, lines: ReadonlyArray<string>): Wire => {
  const wire = context.wire()
  context.sent(kind)
  wire.write(requestOf(lines))
  return wire
}

const badPaths = [
  "/",
  "/v1",
  "/v1/rooms",
  "/v1/rooms/",
  "/v1/rooms//",
  "/v1/rooms/p/",
  "/v1/rooms/%ff/room",
  "/v1/rooms/p_0123456789abcdef",
  "/V1/rooms/p/r",
  "/v1/rooms/p/r/more",
  "/health",
  "*"
]

/** A request that is not the one of the protocol. */
export const upgradeCases: ReadonlyArray<SocketCase> = [
  socketCase("upgrade: mutated", 6, async (context) => {
    const wire = context.wire()
    context.sent("upgrade")
    wire.write(mutate(context.chance, requestOf(goodLines(context)), [Buffer.from("\r\n\r\n")]))
    wire.end()
    await wire.until(() => wire.status !== 0 || wire.ended, HalfRequestMs)
    context.tally.count("http", String(wire.status))
    if (wire.status >= 500 && wire.status !== 505) throw new Unexpected(`HTTP ${wire.status}`)
  }),
  socketCase("upgrade: another path", 1, async (context) => {
    const lines = upgradeLines(context.chance.pick(badPaths))
    await refused(context, send(context, "upgrade", lines), [400, 404])
  }),
  socketCase("upgrade: no subprotocol", 1, async (context) => {
    const lines = goodLines(context).filter((line) => !line.startsWith("sec-websocket-protocol"))
    const other = context.chance.one(2) ? ["sec-websocket-protocol: rooms.v2"] : []
    await refused(context, send(context, "upgrade", [...lines, ...other]), [400])
  }),
  socketCase("upgrade: another version or key", 1, async (context) => {
    const [name, value] = context.chance.pick([
      ["sec-websocket-version", "7"],
      ["sec-websocket-version", "x".repeat(1000)],
      ["sec-websocket-key", "short"],
      ["sec-websocket-key", "\u00ff".repeat(24)],
      ["sec-websocket-extensions", 'permessage-deflate; a="unclosed']
    ] as const)
    const lines = goodLines(context).filter((line) => !line.startsWith(name))
    await refused(
      context,
      send(context, "upgrade", [...lines, `${name}: ${value}`]),
      [400, 426, 101]
    )
  }),
  socketCase("upgrade: headers without end", 1, async (context) => {
    const wire = context.wire()
    context.sent("upgrade")
    wire.write(Buffer.from(goodLines(context).join("\r\n")))
    wire.write(Buffer.alloc(64 * 1024, "x-more: y\r\n"))
    await refused(context, wire, [400, 431])
  }),
  socketCase("upgrade: cut off", 2, async (context) => {
    const wire = context.wire()
    const request = requestOf(goodLines(context))
    context.sent("upgrade")
    wire.write(request.subarray(0, context.chance.below(request.length)))
    if (context.chance.one(2)) wire.end()
    await wire.until(() => wire.ended, context.chance.below(20))
    if (context.chance.one(2)) wire.reset()
    context.tally.count("http", "cut off")
  }),
  socketCase("request: junk", 2, async (context) => {
    const wire = context.wire()
    const method = context.chance.pick(["POST", "PUT", "DELETE", "PATCH", "BREW", "GET"])
    const path = context.chance.pick([
      "/v1/identity",
      "/v1/projects",
      "/v1/rooms/a/b",
      "/metrics/x"
    ])
    const body = mutate(context.chance, Buffer.from('{"project":"p_0123456789abcdef"}'))
    const head = [`${method} ${path} HTTP/1.1`, "host: x", "connection: close"]
    context.sent("request")
    wire.write(
      Buffer.concat([
        requestOf([...head, "content-type: application/json", `content-length: ${body.length}`]),
        body
      ])
    )
    await context.expect(wire, "an answer", () => wire.status !== 0)
    context.tally.count("http", String(wire.status))
    if (wire.status >= 500) throw new Unexpected(`HTTP ${wire.status} to ${method} ${path}`)
  })
]
