import { HttpLimits } from "@atrium/domain/http/HttpLimits"

import {
  asking,
  badRequest,
  type CaseParts,
  type Expectation,
  refusedWith,
  type RouteCase
} from "./HttpCase.ts"
import { chunked, type HttpDraft, withBody, withHeader } from "./HttpDraft.ts"
import type { HttpRoute } from "./HttpRoute.ts"

type Line = readonly [name: string, value: string]

const takesBody = ({ body }: HttpRoute): boolean => body !== null
const takesJson = ({ body }: HttpRoute): boolean => body !== null && body.schema !== null
const takesFile = ({ body, bound }: HttpRoute): boolean =>
  body !== null && body.schema === null && bound.noun === "body"
const chunks: Line = ["transfer-encoding", "chunked"]
/** Nobody can say where the next request would begin. */
const unreadable: Expectation = { ...badRequest, ends: true }

const tooLarge = ({ bound }: HttpRoute): Expectation =>
  refusedWith(413, bound.noun === "bundle" ? "E_BUNDLE_TOO_LARGE" : "E_BODY_TOO_LARGE")

const framed = (draft: HttpDraft, ...framing: ReadonlyArray<Line>): HttpDraft => ({
  ...draft,
  framing
})

const length = (
  name: string,
  ask: RouteCase["ask"],
  { weight = 2, fits = takesBody }: Partial<Pick<RouteCase, "weight" | "fits">> = {}
): RouteCase => ({ name: `length: ${name}`, weight, fits, ask })

const bodyOf = ({ right }: CaseParts): Buffer => right.body ?? Buffer.alloc(0)

/** Bodies that are longer or shorter than was said, or than they may be. Source: RFC 9112, 6; D-02, D-40. */
export const lengthCases: ReadonlyArray<RouteCase> = [
  length("announced over the limit", ({ right, route, chance }) => {
    const over = route.bound.bytes + chance.pick([1, 1_000, 2 ** 40])
    const draft = framed({ ...right, body: Buffer.from("{}") }, ["content-length", String(over)])
    return asking(draft, { ...tooLarge(route), ends: true })
  }),
  length(
    "over the limit in chunks",
    (parts) => {
      const body = Buffer.alloc(parts.route.bound.bytes + 1, " ")
      const draft = framed({ ...parts.right, body: chunked(body, 64 * 1024) }, chunks)
      return asking(draft, tooLarge(parts.route))
    },
    { weight: 1, fits: takesJson }
  ),
  length(
    "in small chunks, cut off rightly",
    (parts) => {
      const cut = bodyOf(parts).subarray(0, bodyOf(parts).length - 1)
      return asking(
        framed({ ...parts.right, body: chunked(cut, 1 + parts.chance.below(4)) }, chunks),
        badRequest
      )
    },
    { fits: takesJson }
  ),
  length(
    "too small",
    (parts) => {
      const said = parts.chance.below(bodyOf(parts).length - 1)
      const draft = framed(parts.right, ["content-length", String(said)])
      // The rest of the body is what comes next, and no request.
      return asking(draft, unreadable)
    },
    { fits: takesJson }
  ),
  length(
    "too large",
    (parts) => {
      const said = bodyOf(parts).length + 1 + parts.chance.below(1_000)
      const draft = framed(parts.right, ["content-length", String(said)])
      return { ...asking(draft, unreadable), halfCloses: true }
    },
    { fits: takesJson }
  ),
  length("none that is a number", (parts) => {
    const said = parts.chance.pick([
      "-1",
      "+2",
      "1e3",
      "0x2",
      "2.0",
      "two",
      "",
      "99999999999999999999999",
      "2, 2",
      "2,3",
      "\u00b2"
    ])
    return asking(framed(parts.right, ["content-length", said]), unreadable)
  }),
  length("said twice", (parts) => {
    const said = String(bodyOf(parts).length)
    const other = parts.chance.pick([said, "0", "1"])
    return asking(
      framed(parts.right, ["content-length", said], ["content-length", other]),
      unreadable
    )
  }),
  length("said, and chunks", (parts) => {
    const body = chunked(bodyOf(parts), 16)
    const said: Line = ["content-length", String(parts.chance.pick([0, 4, body.length]))]
    const lines = parts.chance.one(2) ? [said, chunks] : [chunks, said]
    return asking(framed({ ...parts.right, body }, ...lines), unreadable)
  }),
  length("another coding than chunks", (parts) => {
    const coding = parts.chance.pick([
      "gzip, chunked",
      "chunked, gzip",
      "identity",
      "chunked, chunked",
      "xchunked",
      "chunked;q=1",
      "\u000bchunked",
      "gzip"
    ])
    const draft = framed({ ...parts.right, body: chunked(bodyOf(parts), 16) }, [
      "transfer-encoding",
      coding
    ])
    return asking(draft, unreadable)
  }),
  length(
    "chunks that are none",
    (parts) => {
      const garbage = parts.chance.pick([
        "zz\r\n{}\r\n0\r\n\r\n",
        "-1\r\n",
        "2\r\n{}XX0\r\n\r\n",
        "2\n{}\n0\n\n",
        "ffffffffffffffffff\r\n",
        "2 ;\r\n{",
        "0x2\r\n{}\r\n0\r\n\r\n",
        "\r\n\r\n\r\n",
        "2\r\n{}\r\n0\r\nno trailer\r\n\r\n"
      ])
      const draft = framed({ ...parts.right, body: Buffer.from(garbage) }, chunks)
      return { ...asking(draft, unreadable), halfCloses: true }
    },
    { weight: 4 }
  ),
  length("chunks without an end", (parts) => {
    const body = Buffer.from(
      `${bodyOf(parts).length.toString(16)}\r\n${bodyOf(parts).toString()}\r\n`
    )
    return { ...asking(framed({ ...parts.right, body }, chunks), unreadable), halfCloses: true }
  }),
  length("no body", ({ right, chance }) => {
    const lines: ReadonlyArray<Line> = chance.one(2) ? [] : [["content-length", "0"]]
    return asking(framed({ ...right, body: null }, ...lines), { ...badRequest, code: null })
  }),
  length(
    "a body where none belongs",
    ({ doomed, chance }) => {
      const body = chance.pick(['{"a":1}', "x".repeat(1_000), "\0", "[".repeat(10_000)])
      return asking(
        withHeader(withBody(doomed, body), "content-type", "application/json"),
        badRequest
      )
    },
    { fits: ({ body }) => body === null }
  ),
  length(
    "a body over the limit where none belongs",
    ({ doomed }) => {
      const draft = framed({ ...doomed, body: Buffer.from("{}") }, [
        "content-length",
        String(HttpLimits.bodyBytes.max + 1)
      ])
      return asking(draft, { ...refusedWith(413, "E_BODY_TOO_LARGE"), ends: true })
    },
    { fits: ({ body }) => body === null }
  )
]

const type = (
  name: string,
  ask: RouteCase["ask"],
  fits: RouteCase["fits"] = takesBody
): RouteCase => ({ name: `type: ${name}`, weight: 3, fits, ask })

/** Bodies that say they are something else. Source: D-02. */
export const typeCases: ReadonlyArray<RouteCase> = [
  type("not one that is taken", ({ right, chance, route }) => {
    const types = [
      "text/plain",
      "application/xml",
      "multipart/form-data; boundary=x",
      "multipart/form-data",
      "application/x-www-form-urlencoded",
      "application/jsonx",
      "json",
      ";;;",
      "*/*",
      "application/json, application/json",
      "a/b\u00ff",
      "x".repeat(5_000),
      "application/octet-stream"
    ]
    const others =
      route.body?.schema === null
        ? ["application/json"]
        : ["application/javascript", "application/x-ndjson"]
    const wrong = [...types, ...others].filter((each) => each !== route.body?.contentType)
    return asking(withHeader(right, "content-type", chance.pick(wrong)), badRequest)
  }),
  type(
    "another charset",
    ({ right, chance }) => {
      const charset = chance.pick([
        "utf-16",
        "UTF-16LE",
        "latin1",
        "iso-8859-1",
        "x",
        "utf-7",
        '"utf-32"'
      ])
      return asking(
        withHeader(right, "content-type", `application/json; charset=${charset}`),
        badRequest
      )
    },
    takesJson
  ),
  type("compressed", ({ right, chance }) =>
    asking(
      withHeader(
        right,
        "content-encoding",
        chance.pick(["gzip", "br", "deflate", "gzip, gzip", "identity, gzip", "x", ""])
      ),
      badRequest
    )
  ),
  type("none", ({ doomed }) => asking(withHeader(doomed, "content-type", null), badRequest))
]

/** Content that is not what it must be. A bundle is looked at in a process of its own, so there are few. */
export const contentCases: ReadonlyArray<RouteCase> = [
  {
    name: "body: not the content of its hash",
    weight: 6,
    fits: takesFile,
    ask: ({ right, chance, stage }) => {
      const other = Buffer.from(stage.siteFile)
      const at = chance.below(other.length)
      other.writeUInt8(other.readUInt8(at) ^ (1 + chance.below(255)), at)
      const contents = [other, other.subarray(1), chance.bytes(2_000), Buffer.alloc(0)]
      return asking(withBody(right, chance.pick(contents)), refusedWith(400, "E_SITE_FILE"))
    }
  },
  {
    name: "body: no bundle",
    weight: 1,
    fits: ({ bound }) => bound.noun === "bundle",
    ask: ({ right, chance }) => {
      const bundle = chance.pick([
        "\0",
        "const = 1",
        "import 'x'",
        'throw new Error("at load")',
        "exports.rooms = 7",
        "exports.rooms = {__proto__:null,a:1}",
        "\ufeff",
        "#!/bin/sh",
        "process.exit(1)",
        "while(true);".slice(0, 4)
      ])
      return asking(
        withBody(right, chance.one(2) ? bundle : chance.bytes(2_000)),
        refusedWith(400, "E_BUNDLE_INVALID")
      )
    }
  }
]
