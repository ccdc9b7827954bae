import {
  asking,
  badRequest,
  type Expectation,
  refusedWith,
  type RouteCase,
  unauthenticated
} from "./HttpCase.ts"
import { withAnother, withHeader } from "./HttpDraft.ts"

const notThis = refusedWith(405, "E_METHOD_NOT_ALLOWED")
const unreadable: Expectation = { ...badRequest, ends: true }

/** Methods that HTTP knows and no route takes. */
const odd = [
  "TRACE",
  "PROPFIND",
  "QUERY",
  "LOCK",
  "MKCOL",
  "REPORT",
  "SUBSCRIBE",
  "PURGE",
  "LINK",
  "SEARCH"
]
const none = ["BREW", "get", "G\u00c9T", "GETT", "PRI", "-", "GET,POST", "GET\tPOST"]

const head = (name: string, ask: RouteCase["ask"], weight = 2): RouteCase => ({
  name: `head: ${name}`,
  weight,
  fits: () => true,
  ask
})

/** Header lines that mean nothing to any route, or must not. */
const junk: ReadonlyArray<readonly [name: string, value: string]> = [
  ["x-http-method-override", "DELETE"],
  ["x-method-override", "GET"],
  ["x-original-url", "/health"],
  ["x-rewrite-url", "/health"],
  ["x-forwarded-for", "127.0.0.1, ::1, unknown, \u00ff"],
  ["x-forwarded-host", "evil.example"],
  ["x-forwarded-proto", "https,http"],
  ["forwarded", 'for="[::1]";host=evil.example;proto=https'],
  ["range", "bytes=0-0,-1"],
  ["if-match", "*"],
  ["if-none-match", "*"],
  ["if-modified-since", "yesterday"],
  ["accept", "application/xml;q=2, \u00ff"],
  ["accept-encoding", "br;q=x, identity;q=0"],
  ["accept-charset", "utf-7"],
  ["te", "trailers, gzip"],
  ["trailer", "authorization"],
  ["via", "1.1 a, 1.0 b"],
  ["max-forwards", "-1"],
  ["origin", "null"],
  ["origin", "https://\u00ff"],
  ["referer", "javascript:alert(1)"],
  ["sec-fetch-site", "\u00ff"],
  ["cookie", "atrium_session=%zz; =; ;;a; __proto__=1"],
  ["cookie", "a=b; ".repeat(500)],
  ["cookie", `atrium_session=${"s".repeat(4_000)}`],
  ["traceparent", "00-zz-zz-zz"],
  ["b3", "0"],
  ["baggage", "a=b,".repeat(500)],
  ["connection", "close, authorization, host"],
  ["connection", "upgrade, http2-settings"],
  ["upgrade", "h2c, websocket/13"],
  ["keep-alive", "timeout=-1, max=0"],
  ["proxy-connection", "close"],
  ["expect", "100-continue"],
  ["a".repeat(4_000), "1"],
  ["x", ""],
  ["x", "\t \t"],
  ["__proto__", "1"],
  ["constructor", "1"]
]

/** Lines that are no header, as they are written. */
const noHeaders: ReadonlyArray<string> = [
  "x",
  ": x",
  " x: 1",
  "x : 1",
  "x\0: 1",
  "x: a\0b",
  "x: a\rb",
  "x:",
  "é: 1",
  "(x): 1",
  "x: 1",
  "x: 1\r\n y",
  "x: 1\nhost: b",
  "host",
  "content-lengthÿ: 1",
  "x y: 1",
  "{}: 1",
  "[x]: 1",
  '"x": 1',
  "GET / HTTP/1.1"
]

/** Requests whose first lines are odd or wrong. Source: D-02; RFC 9112, 3 to 5. */
export const headCases: ReadonlyArray<RouteCase> = [
  head("a method that the path does not take", ({ right, chance }) => {
    const method = chance.pick(odd)
    return asking({ ...right, method }, { ...notThis, names: method, ends: false })
  }),
  head("a method that is none", ({ right, chance }) =>
    asking({ ...right, method: chance.pick(none) }, unreadable)
  ),
  head("HEAD", ({ doomed, route }) =>
    asking(
      { ...doomed, method: "HEAD" },
      { ...(route.method === "GET" ? badRequest : notThis), statuses: [400, 405] }
    )
  ),
  head("a preflight", ({ right, route, chance }) => {
    const [name, value] = chance.pick([
      ["origin", "https://evil.example"],
      ["origin", "null"],
      ["access-control-request-method", "DELETE"],
      ["access-control-request-headers", "authorization, x-\u00ff"]
    ] as const)
    const draft = withAnother({ ...right, method: "OPTIONS", body: null }, name, value)
    // Pages of other origins ask the open routes only.
    const open = { ...notThis, statuses: [204], code: null }
    return asking(draft, route.guard === "open" ? open : { ...notThis, names: "OPTIONS" })
  }),
  head("an upgrade to a WebSocket", ({ doomed, route }) => {
    const upgrade = withAnother(
      withAnother(doomed, "connection", "upgrade"),
      "upgrade",
      "websocket"
    )
    const gone = { ...refusedWith(404, "E_NOT_FOUND"), ends: true }
    return asking(upgrade, route.method === "GET" ? gone : badRequest)
  }),
  head(
    "lines that mean nothing",
    ({ doomed, chance }) => {
      let draft = doomed
      for (let count = 1 + chance.below(3); count > 0; count--) {
        const [name, value] = chance.pick(junk)
        draft = withAnother(draft, name, value)
      }
      return asking(draft, { ...badRequest, statuses: [400, 401, 403], code: null })
    },
    6
  ),
  head(
    "a line that is no header",
    ({ right, chance }) => asking({ ...right, oddLine: chance.pick(noHeaders) }, unreadable),
    4
  ),
  head("no host", ({ right }) => asking(withHeader(right, "host", null), unreadable)),
  head("two hosts", ({ right, chance }) =>
    asking(
      withAnother(
        right,
        chance.pick(["host", "Host", "HOST"]),
        chance.pick(["evil.example", "", right.headers[0]?.[1] ?? ""])
      ),
      unreadable
    )
  ),
  head("an odd host", ({ doomed, chance }) =>
    asking(
      withHeader(
        doomed,
        "host",
        chance.pick([
          "",
          "a b",
          "a/b",
          "[::1",
          "a:99999999",
          "\u00ff",
          "a,b",
          "http://a",
          "x".repeat(5_000)
        ])
      ),
      badRequest
    )
  ),
  head(
    "a hundred lines",
    ({ doomed, chance }) => {
      const more = Array.from(
        { length: 100 },
        (_, at) => [`x-${chance.below(50)}`, String(at)] as const
      )
      return asking({ ...doomed, headers: [...doomed.headers, ...more] }, badRequest)
    },
    1
  ),
  head("too long", ({ right, chance }) => {
    const [name, value] = chance.pick([
      ["x", "x".repeat(20_000)],
      ["x".repeat(20_000), "1"],
      ["authorization", `Bearer ${"x".repeat(20_000)}`],
      ["cookie", "a=b; ".repeat(5_000)]
    ] as const)
    return asking(withAnother(right, name, value), {
      ...refusedWith(431, "E_BAD_REQUEST"),
      ends: true
    })
  }),
  head(
    "a target that is too long",
    ({ right }) =>
      asking(
        { ...right, target: `${right.target}?${"x".repeat(20_000)}` },
        { ...refusedWith(431, "E_BAD_REQUEST"), ends: true }
      ),
    1
  ),
  head(
    "too many lines",
    ({ right }) =>
      asking(
        {
          ...right,
          headers: [
            ...right.headers,
            ...Array.from({ length: 4_000 }, (_, at) => [`x${at}`, "1"] as const)
          ]
        },
        { ...refusedWith(431, "E_BAD_REQUEST"), ends: true }
      ),
    1
  ),
  head("an expectation", ({ right, chance }) =>
    asking(
      withHeader(right, "expect", chance.pick(["magic", "200-ok", "100-continued", ""])),
      unreadable
    )
  ),
  head("a whole address for a target", ({ doomed, stage, chance }) => {
    const base = chance.pick([
      stage.url,
      "http://evil.example",
      "HTTP://127.0.0.1",
      "https://a:b@c",
      "http://[::1]:1"
    ])
    return asking({ ...doomed, target: `${base}${doomed.target}` }, badRequest)
  }),
  head("a target that is none", ({ right, chance }) => {
    const targets = [
      "http://a:99999999/",
      "http://",
      "http://[::1",
      "",
      " ",
      `${right.target} x`,
      "\u00e9",
      "?x"
    ]
    return asking({ ...right, target: chance.pick(targets) }, unreadable)
  }),
  {
    name: "head: no credential beside all that",
    weight: 2,
    fits: ({ guard }) => guard === "project" || guard === "login",
    ask: ({ right, chance }) => {
      const [name, value] = chance.pick(junk)
      return asking(
        withAnother(withHeader(right, "authorization", null), name, value),
        unauthenticated
      )
    }
  }
]
