import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { until } from "@atrium/domain/testing/Until"
import { beforeAll, describe, expect, it } from "vitest"

import { headerOf, RawHttp, type RawAnswer } from "../testing/RawHttp.ts"
import { makeHome } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

/** Sends the bytes on a new connection, and reads the first answer. */
const say = async (bytes: string): Promise<{ answer: RawAnswer; wire: RawHttp }> => {
  const wire = new RawHttp(service.url)
  wire.write(bytes)
  const answer = await wire.answer()
  if (answer === null) throw new Error("ended without an answer")
  return { answer, wire }
}

/** Status and message of a refusal, its whole shape checked on the way. */
const refusalOf = (answer: RawAnswer): readonly [number, string, string] => {
  expect(headerOf(answer, "content-type")).toBe("application/json; charset=utf-8")
  expect(Number(headerOf(answer, "content-length"))).toBe(answer.body.length)
  const body: { error: { code: string; message: string } } = JSON.parse(answer.body.toString())
  expect(Object.keys(body)).toEqual(["error"])
  expect(Object.keys(body.error)).toEqual(["code", "message"])
  expect(Buffer.byteLength(body.error.message)).toBeLessThanOrEqual(96)
  return [answer.status, body.error.code, body.error.message]
}

const get = (path: string, ...lines: ReadonlyArray<string>): string =>
  [`GET ${path} HTTP/1.1`, "host: 127.0.0.1", ...lines, "", ""].join("\r\n")

const malformed = "the request is not HTTP/1.1"

const refused: ReadonlyArray<readonly [what: string, bytes: string, message: string]> = [
  ["no request line", "GARBAGE\r\n\r\n", malformed],
  ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", malformed],
  ["a method that is none", "BREW / HTTP/1.1\r\nhost: x\r\n\r\n", malformed],
  ["bare line feeds", "GET /health HTTP/1.1\nhost: x\n\n", malformed],
  ["a header without a name", "GET /health HTTP/1.1\r\nhost: x\r\n: x\r\n\r\n", malformed],
  ["U+0000 in a header", "GET /health HTTP/1.1\r\nhost: x\r\na: \0\r\n\r\n", malformed],
  ["a folded header", "GET /health HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n", malformed],
  ["two lengths", get("/health", "content-length: 1", "content-length: 2"), malformed],
  [
    "a length and chunks",
    get("/health", "content-length: 1", "transfer-encoding: chunked"),
    malformed
  ],
  ["HTTP/0.9", "GET /health\r\n\r\n", "request line: only HTTP/1.1 is spoken"],
  [
    "HTTP/2 without its preface",
    "GET /health HTTP/2.0\r\nhost: x\r\n\r\n",
    "request line: only HTTP/1.1 is spoken"
  ],
  ["no host", "GET /health HTTP/1.1\r\n\r\n", "header host: must be there once"],
  ["two hosts", get("/health", "host: other"), "header host: must be there once"],
  [
    "another coding than chunks",
    get("/health", "transfer-encoding: gzip, chunked"),
    "header transfer-encoding: only chunked is taken"
  ],
  ["an expectation", get("/health", "expect: magic"), "header expect: only 100-continue is met"],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n", "request line: CONNECT is not for here"],
  [
    "a target that is no path",
    get("http://a:99999999/health"),
    "request line: the target is not a path"
  ]
]

/** A request whose head never ends. */
const endlessHead = async () => {
  const wire = new RawHttp(service.url)
  const startedAt = performance.now()
  wire.write("GET /health HTTP/1.1\r\nhost: x\r\n")
  const answer = await wire.answer()
  return { answer, tookMs: performance.now() - startedAt, ends: wire.ends() }
}

// It takes ten seconds: the other tests run meanwhile.
let slow: ReturnType<typeof endlessHead>
beforeAll(() => {
  slow = endlessHead()
  // Its own test tells of a failure.
  slow.catch(() => undefined)
})

describe("a malformed HTTP request", () => {
  it.each(refused)(
    "[C-77] [D-02] %s is 400 in the shape of errors",
    async (_what, bytes, message) => {
      const { answer, wire } = await say(bytes)
      expect(refusalOf(answer)).toEqual([400, "E_BAD_REQUEST", message])
      expect(headerOf(answer, "connection")).toBe("close")
      expect(await wire.ends()).toBe(true)
      expect(wire.cut).toBe(false)
    }
  )
})

describe("the head of a request", () => {
  const long = (bytes: number): string => {
    const counted = "/health" + "host" + "127.0.0.1" + "x"
    return get("/health", `x: ${"a".repeat(bytes - counted.length)}`)
  }

  it("[limits.requestHeadBytes] may have just under 16 KiB; with 16 KiB it is 431", async () => {
    const { answer, wire } = await say(long(HttpLimits.requestHeadBytes.max - 1))
    expect(answer.status).toBe(200)
    wire.destroy()
    const past = await say(long(HttpLimits.requestHeadBytes.max))
    expect(refusalOf(past.answer)).toEqual([
      431,
      "E_BAD_REQUEST",
      "head of the request: over 16 KiB"
    ])
    // What is still on its way does not cut off the answer.
    const flood = await say(long(HttpLimits.requestHeadBytes.max) + "x: y\r\n".repeat(100_000))
    expect(flood.answer.status).toBe(431)
    expect(await flood.wire.ends()).toBe(true)
    expect(flood.wire.cut).toBe(false)
  })
})

describe("a malformed request behind another", () => {
  it("[C-77] [D-02] is refused after the answer to it", async () => {
    const wire = new RawHttp(service.url)
    wire.write(`${get("/ready")}${get("/v1/nothing")}GARBAGE\r\n\r\n${get("/health")}`)
    expect((await wire.answer())?.body.toString()).toBe('{"status":"ready"}')
    expect((await wire.answer())?.status).toBe(404)
    const last = await wire.answer()
    if (last === null) throw new Error("ended without an answer")
    expect(refusalOf(last)).toEqual([400, "E_BAD_REQUEST", malformed])
    expect(await wire.ends()).toBe(true)
  })

  it("[C-77] [D-02] [D-03] a request that is wrong in its head waits for its turn as well", async () => {
    const wire = new RawHttp(service.url)
    wire.write(`${get("/ready")}${get("/health", "host: twice")}${get("/health")}`)
    expect((await wire.answer())?.body.toString()).toBe('{"status":"ready"}')
    expect((await wire.answer())?.status).toBe(400)
    expect(await wire.ends()).toBe(true)
  })

  it.each([
    ["a chunk of no length", "zz\r\n{}\r\n"],
    ["a chunk that is longer than it says", "2\r\n{}XX0\r\n\r\n"]
  ])("[C-77] [D-02] %s in its body is 400", async (_what, chunks) => {
    const head = "POST /v1/identity HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
    const { answer, wire } = await say(head + chunks)
    expect(refusalOf(answer)).toEqual([400, "E_BAD_REQUEST", malformed])
    expect(await wire.ends()).toBe(true)
  })
})

describe("a pipeline", () => {
  const { max } = HttpLimits.requestsWaiting
  const pipeline = async (length: number) => {
    const wire = new RawHttp(service.url)
    wire.write(get("/ready").repeat(length))
    for (let answered = 0; answered < max; answered++) {
      expect((await wire.answer())?.body.toString()).toBe('{"status":"ready"}')
    }
    return wire
  }

  it(`[limits.requestsWaiting] of ${max} requests is answered, and the connection goes on`, async () => {
    const wire = await pipeline(max)
    wire.write(get("/health"))
    expect((await wire.answer())?.body.toString()).toBe('{"status":"ok"}')
    wire.destroy()
  })

  it.each([1, max])(
    "[limits.requestsWaiting] of %i more is refused behind that, and ends",
    async (more) => {
      const wire = await pipeline(max + more)
      const last = await wire.answer()
      if (last === null) throw new Error("ended without a refusal")
      const says = `connection: over ${max} requests wait for answers`
      expect(refusalOf(last)).toEqual([400, "E_BAD_REQUEST", says])
      expect(await wire.ends()).toBe(true)
      expect(wire.cut).toBe(false)
    }
  )

  it.each([
    ["requests", () => get("/ready")],
    ["requests without a host", () => "GET / HTTP/1.1\r\n\r\n"],
    ["what is none", () => "GARBAGE\r\n\r\n"]
  ])(
    "[limits.requestsWaiting] of %s without end is cut off, and nobody else notices",
    async (_what, bytes) => {
      const wires = Array.from({ length: 5 }, () => new RawHttp(service.url))
      for (const wire of wires) wire.write(bytes().repeat(20_000))
      expect((await say(get("/ready"))).answer.body.toString()).toBe('{"status":"ready"}')
      for (const wire of wires) await until("it is cut off", () => wire.ended)
    }
  )
})

describe("an upgrade", () => {
  const upgrade = (to: string, ...lines: ReadonlyArray<string>): string =>
    get("/health", "connection: upgrade, http2-settings", `upgrade: ${to}`, ...lines)

  it("[D-24] to an unknown protocol is ignored, and the request is answered as plain HTTP", async () => {
    // What Java's client asks of every server that speaks without TLS.
    const { answer, wire } = await say(upgrade("h2c", "http2-settings: AAEAAEAAAAIAAAAB"))
    expect(answer.body.toString()).toBe('{"status":"ok"}')
    wire.write(get("/v1/nothing"))
    expect((await wire.answer())?.status).toBe(404)
    wire.destroy()
  })

  const room = (...lines: ReadonlyArray<string>): string =>
    get("/v1/rooms/p/r", "connection: upgrade", "upgrade: websocket", ...lines)
  const protocol = "sec-websocket-protocol: rooms.v1"
  const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="

  it.each([
    ["without the subprotocol", room(key, "sec-websocket-version: 13"), 400],
    [
      "with another subprotocol",
      room(key, "sec-websocket-version: 13", "sec-websocket-protocol: rooms.v2"),
      400
    ],
    ["of another version", room(protocol, key, "sec-websocket-version: 7"), 400],
    ["without a key", room(protocol, "sec-websocket-version: 13"), 400],
    ["with two hosts", room(protocol, key, "sec-websocket-version: 13", "host: other"), 400],
    ["to a path that has none", upgrade("websocket", key, protocol), 404]
  ])("[C-77] [D-02] %s is refused in the shape of errors", async (_what, bytes, status) => {
    const { answer, wire } = await say(bytes)
    expect(refusalOf(answer)[0]).toBe(status)
    expect(await wire.ends()).toBe(true)
  })

  it("[C-77] [D-02] with another method is a request like any other", async () => {
    const { answer } = await say(room(protocol, key).replace("GET", "POST"))
    expect(refusalOf(answer)).toEqual([404, "E_NOT_FOUND", "not found"])
  })
})

describe("a header that is there twice", () => {
  const own = (): string => `authorization: Bearer ${service.token}`

  it("[auth.401.identical-wording] two credentials are refused like a missing one, even if one is good", async () => {
    const alone = await say(get("/v1/me", own()))
    expect(alone.answer.status).toBe(200)
    const none = await say(get("/v1/me"))
    for (const lines of [
      [own(), "authorization: Bearer nonsense"],
      ["authorization: Bearer nonsense", own()],
      [own(), own()]
    ]) {
      const { answer } = await say(get("/v1/me", ...lines))
      expect(refusalOf(answer).slice(0, 2)).toEqual([401, "E_UNAUTHENTICATED"])
      expect(answer.body).toEqual(none.answer.body)
    }
  })

  it("[C-77] [D-02] two content types are refused like an unknown one", async () => {
    const type = "content-type: application/json"
    const body = (...lines: ReadonlyArray<string>): string =>
      get("/v1/login/token", ...lines, "content-length: 2").replace("GET", "POST") + "{}"
    expect(refusalOf((await say(body(type))).answer)[2]).toMatch(/^field deviceCode/)
    const { answer } = await say(body(type, type))
    expect(refusalOf(answer)[2]).toBe("content-type: not one that is taken")
  })
})

describe("the end of the service", () => {
  it("[D-50] waits for no client that does not let go", async () => {
    const home = await makeHome()
    try {
      const { url, stop } = await home.start()
      const silent = new RawHttp(url)
      const upgrade = ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"]
      const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="
      silent.write(get("/v1/rooms/p/r", ...upgrade, key, "sec-websocket-protocol: rooms.v1"))
      const half = new RawHttp(url)
      half.write("GET /health HTTP/1.1\r\n")
      const idle = new RawHttp(url)
      idle.write(get("/health"))
      await idle.answer()
      await until("the WebSocket is open", () => silent.left.startsWith("HTTP/1.1 101"))
      const startedAt = performance.now()
      expect(await stop()).toBe(0)
      expect(performance.now() - startedAt).toBeLessThan(ServiceLimits.drain.ms / 2)
    } finally {
      await home.remove()
    }
  })
})

describe("a head that does not end", () => {
  it("[limits.requestHead] is 408 after 10 seconds", async () => {
    const { answer, tookMs } = await slow
    if (answer === null) throw new Error("ended without an answer")
    expect(refusalOf(answer)).toEqual([408, "E_BAD_REQUEST", "the request did not come in time"])
    expect(tookMs).toBeGreaterThanOrEqual(HttpLimits.requestHead.ms - 100)
    expect(await (await slow).ends).toBe(true)
  })
})
