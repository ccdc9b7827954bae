import type { Chance } from "@atrium/api/testing/Chance"

import { asking, badRequest, type CaseParts, type Expectation, type RouteCase } from "./HttpCase.ts"
import { type HttpDraft, withBody } from "./HttpDraft.ts"
import type { HttpRoute } from "./HttpRoute.ts"
import {
  isObject,
  type Json,
  type JsonSchema,
  mayPass,
  type Place,
  placesIn,
  resolved,
  withAt
} from "./JsonSchema.ts"

const Depth = 10_000
const LongChars = 10_000

/** Values of every kind; what a place cannot hold is put there. */
const values: ReadonlyArray<Json> = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  1e21,
  -1e-7,
  Number.MAX_SAFE_INTEGER,
  2 ** 31,
  2 ** 53,
  "",
  "text",
  "0",
  "1",
  "true",
  "null",
  "\0",
  "\ud800",
  "😀",
  "__proto__",
  "a\nb",
  [],
  [null],
  [[]],
  ["rooms:read", 1],
  Array.from({ length: 300 }, () => 0),
  {},
  { a: 1 },
  { length: 1 },
  {
    toString: null,
    valueOf: 1
  },
  { toJSON: "x" }
]

/** Texts that no field of any route takes. */
const absurdTexts: ReadonlyArray<string> = [
  "",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff a",
  "x".repeat(LongChars),
  "\u{1f600}".repeat(LongChars)
]

/** Numbers that JSON allows and that a double cannot hold, or that no field may have. */
const oddTexts: ReadonlyArray<string> = [
  "1e999",
  "-1e999",
  "-0.5",
  "1E400",
  "123456789012345678901234567890"
]
/** Texts that are no JSON. */
const noValues: ReadonlyArray<string> = [
  "NaN",
  "Infinity",
  "undefined",
  "01",
  "+1",
  ".5",
  "1.",
  "0x10",
  "'a'",
  "a",
  "1n",
  "//",
  "nul",
  "tru",
  '"\\x41"',
  '"\\u12"',
  '""',
  '"',
  "[1,]",
  "{,}",
  "{a:1}",
  "{'a':1}",
  "[",
  "{",
  "]",
  ""
]

const taken = ({ body }: HttpRoute): JsonSchema => {
  if (body?.schema === null || body?.schema === undefined)
    throw new Error("the route takes no JSON")
  return body.schema
}

const takesJson = ({ body }: HttpRoute): boolean => body !== null && body.schema !== null

const valueOf = ({ right }: CaseParts): Json => JSON.parse(right.body?.toString() ?? "null")

const placesOf = (parts: CaseParts): ReadonlyArray<Place> =>
  placesIn(taken(parts.route), valueOf(parts), parts.stage.named)

/** A place that takes every JSON: what stands there is looked at later. */
const isFree = (place: Place, { stage }: CaseParts): boolean =>
  values.every((each) => mayPass(place.schema, each, stage.named))

/** The places that take some values and no others. */
const takenPlaces = (parts: CaseParts): ReadonlyArray<Place> => {
  const places = placesOf(parts)
  const taken = places.filter((place) => !isFree(place, parts))
  return taken.length > 0 ? taken : places
}

const named = (place: Place, parts: CaseParts): Expectation => {
  const [top] = place.path
  if (top === undefined || isFree(place, parts)) return badRequest
  // A file of a site is named by its path, and not by its place in the list.
  const names = top === "files" ? top : place.path.join(".")
  return { ...badRequest, names }
}

/** A mark that stands for a value until the JSON is written. */
const Mark = "\u0001here\u0001"

/** The body with this text where the value of a place was, be it JSON or not. */
const written = (parts: CaseParts, { path }: Place, text: string): HttpDraft => {
  const json = JSON.stringify(withAt(valueOf(parts), path, Mark))
  return withBody(
    parts.right,
    json.replace(JSON.stringify(Mark), () => text)
  )
}

const nested = (chance: Chance): string => {
  const [open, close] = chance.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ['[{"__proto__":', "}]"]
  ] as const)
  return `${open.repeat(Depth)}1${close.repeat(Depth)}`
}

const json = (name: string, ask: RouteCase["ask"], weight = 4): RouteCase => ({
  name: `body: ${name}`,
  weight,
  fits: takesJson,
  ask
})

const isClosed = (place: Place, { stage }: CaseParts): boolean =>
  isObject(place.value) && resolved(place.schema, stage.named).additionalProperties === false

/** The members of an object, as text, so that one can be written twice or oddly. */
const membersOf = (parts: CaseParts): ReadonlyArray<string> => {
  const value = valueOf(parts)
  if (!isObject(value)) throw new Error("the body is no object")
  return Object.entries(value).map(
    ([key, field]) => `${JSON.stringify(key)}:${JSON.stringify(field)}`
  )
}

/** Settings that no project takes, beside those that its own route refuses by its schema. */
const noSettings: ReadonlyArray<Json> = [
  null,
  1,
  "text",
  [],
  { zz: 1 },
  { name: "text" },
  { audienceRole: 7 },
  { origins: "https://game.example" },
  { queues: [] },
  { boards: { best: null } },
  { preRelease: "true" }
]

/** Bodies that are not what the contract says. Source: D-02, D-42. */
export const bodyCases: ReadonlyArray<RouteCase> = [
  {
    ...json("settings that no project takes", (parts) => {
      const settings = parts.chance.pick(noSettings)
      const value = withAt(valueOf(parts), ["settings"], settings)
      return asking(withBody(parts.right, JSON.stringify(value)), badRequest)
    }),
    fits: ({ path }) => path.endsWith("/site/uploads")
  },
  json(
    "a value of another type",
    (parts) => {
      const { stage, chance } = parts
      const place = chance.pick(placesOf(parts).filter((each) => !isFree(each, parts)))
      const value = chance.pick(values.filter((each) => !mayPass(place.schema, each, stage.named)))
      return asking(
        withBody(parts.right, JSON.stringify(withAt(valueOf(parts), place.path, value))),
        named(place, parts)
      )
    },
    12
  ),
  json(
    "a text that no field takes",
    (parts) => {
      const { chance, route } = parts
      const texts = placesOf(parts).filter(({ value }) => typeof value === "string")
      if (texts.length === 0) return asking(withBody(parts.right, '"text"'), badRequest)
      const { path } = chance.pick(texts)
      const value = withAt(valueOf(parts), path, chance.pick(absurdTexts))
      // Where the text names something there is no such thing.
      const statuses = [400, 401, 404, 429].filter(
        (status) => status < 401 || route.codes.has(status)
      )
      return asking(withBody(parts.right, JSON.stringify(value)), {
        ...badRequest,
        statuses,
        code: null
      })
    },
    6
  ),
  json("a number that JSON has and no field takes", (parts) => {
    const place = parts.chance.pick(takenPlaces(parts))
    return asking(written(parts, place, parts.chance.pick(oddTexts)), named(place, parts))
  }),
  json("no JSON somewhere in it", (parts) => {
    const place = parts.chance.pick(placesOf(parts))
    return asking(written(parts, place, parts.chance.pick(noValues)), badRequest)
  }),
  json(
    "nested without end",
    (parts) => {
      const place = parts.chance.pick(takenPlaces(parts))
      return asking(written(parts, place, nested(parts.chance)), badRequest)
    },
    2
  ),
  json(
    "an unknown field",
    (parts) => {
      const { chance } = parts
      const place = chance.pick(placesOf(parts).filter((each) => isClosed(each, parts)))
      const key = chance.pick([
        "zz",
        "__proto__",
        "constructor",
        "toString",
        "",
        "\0",
        "class",
        "x".repeat(300),
        parts.stage.secrets.login
      ])
      const members = JSON.stringify(place.value).slice(1, -1)
      const text = `{${[members, `${JSON.stringify(key)}:1`].filter((each) => each !== "").join()}}`
      return asking(written(parts, place, text), badRequest)
    },
    6
  ),
  json("a field that must be there is not", (parts) => {
    const places = placesOf(parts).flatMap(({ path, schema, value }) =>
      (resolved(schema, parts.stage.named).required ?? []).map((key) => ({ path, value, key }))
    )
    if (places.length === 0) return asking(withBody(parts.right, "null"), badRequest)
    const { path, value, key } = parts.chance.pick(places)
    const fields = Object.entries(isObject(value) ? value : {}).filter(([name]) => name !== key)
    const whole = withAt(valueOf(parts), path, Object.fromEntries(fields))
    return asking(withBody(parts.right, JSON.stringify(whole)), { ...badRequest, names: key })
  }),
  json("a field twice, the second one wrong", (parts) => {
    const members = membersOf(parts)
    const once = members.length === 0 ? ['"zz":1'] : members
    // A field that takes every JSON takes the second one, too.
    const strict = placesOf(parts).filter(
      (place) => place.path.length === 1 && !mayPass(place.schema, [[]], parts.stage.named)
    )
    const key = strict.length === 0 ? "zz" : parts.chance.pick(strict).path[0]
    return asking(withBody(parts.right, `{${once.join()},${JSON.stringify(key)}:[[]]}`), badRequest)
  }),
  json("cut off", ({ right, chance }) => {
    const body = right.body ?? Buffer.alloc(0)
    return asking(withBody(right, body.subarray(0, chance.below(body.length))), badRequest)
  }),
  json("something behind it", ({ right, chance }) => {
    const more = chance.pick(["x", "{}", "\0", ",", "]", "/**/", "\u00a0"])
    return asking(withBody(right, `${right.body?.toString()}${more}`), badRequest)
  }),
  json("no object", ({ right, chance }) =>
    asking(
      withBody(right, chance.pick(["null", "[]", "0", '""', "true", "[{}]", '"{}"', " ", "\n"])),
      badRequest
    )
  ),
  json("bytes", ({ right, chance }) =>
    asking(withBody(right, Buffer.concat([Buffer.from([0xff]), chance.bytes(64)])), badRequest)
  ),
  json("not UTF-8 in a text", (parts) => {
    const { chance } = parts
    const texts = placesOf(parts).filter(({ value }) => typeof value === "string")
    const place = chance.pick(texts.length === 0 ? placesOf(parts) : texts)
    const [before = "", behind = ""] =
      written(parts, place, Mark).body?.toString().split(Mark) ?? []
    const bad = chance.pick([
      [0xff],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xe2, 0x98],
      [0xf8, 0x88, 0x80, 0x80, 0x80]
    ])
    const body = Buffer.concat([
      Buffer.from(`${before}"a`),
      Buffer.from(bad),
      Buffer.from(`"${behind}`)
    ])
    return asking(withBody(parts.right, body), badRequest)
  }),
  json(
    "in UTF-16",
    ({ right }) =>
      asking(
        withBody(right, Buffer.from(`\ufeff${right.body?.toString()}`, "utf16le")),
        badRequest
      ),
    1
  ),
  json(
    "with a mark of its byte order",
    ({ doomed }) => asking(withBody(doomed, `\ufeff${doomed.body?.toString()}`), badRequest),
    1
  ),
  json(
    "as long as may be",
    ({ doomed, route }) => {
      const body = doomed.body?.toString() ?? ""
      const filled = body + " ".repeat(route.bound.bytes - Buffer.byteLength(body))
      return asking(withBody(doomed, filled), badRequest)
    },
    1
  )
]
