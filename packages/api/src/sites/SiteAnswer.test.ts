import { describe, expect, it } from "vitest"

import { acceptedCoding } from "./AcceptedCoding.ts"
import { byteRangeOf } from "./ByteRange.ts"
import { siteAnswer } from "./SiteAnswer.ts"

const file = (path: string, packed = true) => ({
  path,
  hash: path,
  bytes: 100,
  gzipBytes: packed ? 60 : null,
  brotliBytes: packed ? 50 : null
})
const index = new Map(
  [
    file("index.html"),
    file("404.html"),
    file("docs/index.html"),
    file("assets/app-B7x9kQ2z.js"),
    file("a.png", false),
    file("Build/game.wasm.br", false)
  ].map((each) => [each.path, each])
)
const ask = (target: string, headers: Record<string, string> = {}, method = "GET") =>
  siteAnswer(index, { method, target, headers })
const identity = (path: string) => ({ hash: path, coding: "identity", from: 0, to: 99 })

describe("siteAnswer", () => {
  it("[C-359] sends a file with its type, its tag and its bytes", () => {
    expect(ask("/")).toEqual({
      status: 200,
      headers: {
        "x-content-type-options": "nosniff",
        "origin-agent-cluster": "?1",
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "accept-ranges": "bytes",
        vary: "accept-encoding",
        etag: '"index.html"',
        "content-length": "100"
      },
      body: identity("index.html")
    })
  })

  it("[C-359] sends the stored compressed bytes to a client that takes them", () => {
    const { headers, body } = ask("/", { "accept-encoding": "gzip, deflate, br" })
    expect(headers).toMatchObject({
      "content-encoding": "br",
      etag: '"index.html-br"',
      "content-length": "50",
      vary: "accept-encoding"
    })
    expect(body).toEqual({ hash: "index.html", coding: "br", from: 0, to: 49 })
    const image = ask("/a.png", { "accept-encoding": "br" })
    expect(image.headers["vary"]).toBeUndefined()
    expect(image.body).toEqual(identity("a.png"))
  })

  it.each([undefined, "gzip", "br"])(
    "[C-377] sends a file that a build has packed as it is, with its coding and the type of its content: %s",
    (accepted) => {
      const headers = accepted === undefined ? {} : { "accept-encoding": accepted }
      const packed = { "content-type": "application/wasm", "content-encoding": "br" }
      const whole = ask("/Build/game.wasm.br", headers)
      expect(whole).toMatchObject({ status: 200, headers: packed })
      expect(whole.headers["vary"]).toBeUndefined()
      expect(whole.body).toEqual(identity("Build/game.wasm.br"))
      const part = ask("/Build/game.wasm.br", { ...headers, range: "bytes=0-9" })
      expect(part).toMatchObject({ status: 206, headers: packed })
      expect(ask("/Build/game.wasm").status).toBe(404)
    }
  )

  it("[C-359] lets caches keep a file with a hash in its name, and ask for every other one", () => {
    const caching = (target: string) => ask(target).headers["cache-control"]
    expect(caching("/assets/app-B7x9kQ2z.js")).toBe("public, max-age=31536000, immutable")
    expect([caching("/"), caching("/a.png"), caching("/nowhere")]).toEqual(
      Array.from({ length: 3 }, () => "no-cache")
    )
  })

  it.each([
    ['"index.html"', {}, 304],
    ['W/"index.html"', {}, 304],
    ['"other", "index.html"', {}, 304],
    ["*", {}, 304],
    ['"index.html-br"', { "accept-encoding": "br" }, 304],
    ['"index.html"', { "accept-encoding": "br" }, 200],
    ['"other"', {}, 200]
  ])("[C-359] sends nothing again that the client has: %s %j", (tag, headers, status) => {
    const answer = ask("/", { ...headers, "if-none-match": tag })
    expect(answer.status).toBe(status)
    expect(answer.body === null).toBe(status === 304)
  })

  it("[C-359] sends a range of the bytes as they were uploaded, never of compressed ones", () => {
    const { status, headers, body } = ask("/", { range: "bytes=10-19", "accept-encoding": "br" })
    expect(status).toBe(206)
    expect(headers).toMatchObject({
      "content-range": "bytes 10-19/100",
      "content-length": "10",
      etag: '"index.html"'
    })
    expect(headers["content-encoding"]).toBeUndefined()
    expect(body).toEqual({ hash: "index.html", coding: "identity", from: 10, to: 19 })
    const outside = ask("/", { range: "bytes=100-" })
    expect([outside.status, outside.headers["content-range"]]).toEqual([416, "bytes */100"])
  })

  it.each([
    [{ "if-range": '"index.html"' }, 206],
    [{ "if-range": '"index.html-br"' }, 200],
    [{ "if-range": '"other"' }, 200],
    [{ "if-range": "Mon, 23 Nov 2026 08:00:00 GMT" }, 200]
  ])("[C-359] sends the whole file when the range is of another one: %j", (headers, status) => {
    expect(ask("/", { range: "bytes=0-9", ...headers }).status).toBe(status)
  })

  it.each([
    ["/docs", 301],
    ["/docs/", 200],
    ["/nowhere", 404],
    ["/docs/../../etc/passwd", 404],
    ["/%00", 404],
    ["//index.html", 404],
    ["/%zz", 400],
    ["*", 400]
  ])("[C-359] answers %s with %i", (target, status) => {
    expect(ask(target).status).toBe(status)
  })

  it("[C-359] shows the site's own page for a page that is missing", () => {
    const { status, body, headers } = ask("/nowhere", { range: "bytes=0-1" })
    expect([status, body]).toEqual([404, identity("404.html")])
    expect(headers["content-type"]).toBe("text/html; charset=utf-8")
  })

  it.each(["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])("[C-359] refuses %s", (method) => {
    const { status, headers } = ask("/", {}, method)
    expect([status, headers["allow"]]).toEqual([405, "GET, HEAD"])
  })
})

describe("byteRangeOf", () => {
  it.each([
    [undefined, null],
    ["bytes=0-0", { from: 0, to: 0 }],
    ["bytes=0-99", { from: 0, to: 99 }],
    ["bytes=90-1000", { from: 90, to: 99 }],
    ["bytes=99-", { from: 99, to: 99 }],
    ["bytes=-1", { from: 99, to: 99 }],
    ["bytes=-100", { from: 0, to: 99 }],
    ["bytes=-1000", { from: 0, to: 99 }],
    ["bytes=100-", "outside"],
    ["bytes=100-200", "outside"],
    ["bytes=-0", "outside"],
    // These are no ranges, or several, and are ignored.
    ["bytes=-", null],
    ["bytes=9-1", null],
    ["bytes=0-1,3-4", null],
    ["bytes=a-b", null],
    ["bytes=0x1-2", null],
    ["items=0-1", null],
    [`bytes=${"9".repeat(16)}-`, null]
  ])("[C-359] reads %j of 100 bytes", (header, range) => {
    expect(byteRangeOf(header, 100)).toEqual(range)
  })

  it("[C-359] knows no byte of an empty file", () => {
    expect(byteRangeOf("bytes=0-", 0)).toBe("outside")
    expect(byteRangeOf("bytes=-1", 0)).toBe("outside")
  })
})

describe("acceptedCoding", () => {
  it.each([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0", "identity"],
    ["*", "br"],
    ["*;q=0", "identity"],
    ["gzip;q=0, *", "br"],
    ["identity;q=1, gzip;q=0.5", "identity"],
    ["br;q=x", "identity"],
    ["deflate", "identity"]
  ])("[C-359] chooses of %j", (header, coding) => {
    expect(acceptedCoding(header, ["br", "gzip"])).toBe(coding)
    expect(acceptedCoding(header, [])).toBe("identity")
  })
})
