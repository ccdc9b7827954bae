import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"

import {
  asking,
  type CaseParts,
  type Expectation,
  refusedWith,
  type RouteCase
} from "./HttpCase.ts"
import type { HttpRoute } from "./HttpRoute.ts"
import { targetOf } from "./RightRequest.ts"

const LongIdChars = 4_000

/** Path segments, as they are sent, that name nothing. */
const nothings: Readonly<Record<string, ReadonlyArray<string>>> = {
  "nothing's": [
    "",
    "nothing",
    "p_",
    "P_0000000000000000",
    "p_00000000000000zz",
    "p_000000000000000000",
    "srv_000000000000",
    "tok_0123456789abcdef",
    "inv_0123456789abcdef",
    "sv_0123456789abcdef",
    "null",
    "undefined",
    "NaN",
    "0",
    "-1",
    "true",
    "[object%20Object]",
    "7K3P-V0QA",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toString",
    "%5F%5Fproto%5F%5F",
    "{id}",
    ":id"
  ],
  "another path's": [
    ".",
    "..",
    "%2e",
    "%2e%2e",
    "..%2f..%2fkeys",
    "a%2fb",
    "%2f",
    "%5c",
    "a%2Fsaves",
    "a%3fb",
    "a;b",
    "a;b=c",
    "a#b",
    "a%3Bb",
    "a@b",
    "a=b",
    "a&b",
    "a:b|c",
    "%252e%252e",
    "%2525"
  ],
  "with characters that are none": [
    "%00",
    "a%00b",
    "%0a",
    "%0d%0ax:%20y",
    "%09",
    "%7f",
    "%1b%5b2J",
    "%2500",
    "%20",
    "a%20b",
    "%e2%80%ae",
    "%ef%bb%bf",
    "%ed%a0%80",
    "key_0123456789abcde%00",
    "tok_0123456789abcde%0a"
  ],
  "written wrongly": [
    "%",
    "%%",
    "%z",
    "%zz",
    "a%",
    "a%2",
    "%u0041",
    "%ff",
    "%fe%ff",
    "%c0%af",
    "%c3%28",
    "%25"
  ],
  "in another script": ["%e2%98%83", "%f0%9f%98%80", "%c3%a9", "e%cc%81", "%ef%bc%90", "%d0%b0"],
  "with marks": ["*", "~", "!", "$", "'", "(a)", "a,b", "+", "%27%20or%201=1--", "%22", "%3Cb%3E"],
  "too long": [
    "x".repeat(RoomLimits.roomIdChars.max + 1),
    "x".repeat(LongIdChars),
    "%41".repeat(LongIdChars / 4),
    "%00".repeat(LongIdChars / 4)
  ]
}

const foreign = ({ stage, chance }: CaseParts, param: string): string =>
  stage.foreignIds[param] ?? chance.pick(["nothing", "%00"])

/** Whether the router takes this for one part of a path. */
const isPart = (text: string): boolean => {
  if (text === "" || /[#?]/.test(text)) return false
  try {
    return decodeURIComponent(text) !== ""
  } catch {
    return false
  }
}

const refusalOf = ({
  route,
  param,
  id
}: {
  readonly route: HttpRoute
  readonly param: string
  readonly id: string
}): Expectation => {
  // A hash names nothing that could be missing: it says what the body must be.
  if (param === "hash") {
    const noHash = refusedWith(400, "E_SITE_FILE")
    // The router takes some texts that are written wrongly as they are, and finds no route with others.
    return isPart(id) ? noHash : { ...noHash, statuses: [400, 404], code: null }
  }
  // Nobody's score has no neighbours: a player that is not there is told as one without a score.
  if (param === "playerId") {
    return { ...refusedWith(404, null), statuses: isPart(id) ? [200] : [200, 400, 404] }
  }
  // 0 is the index of a clip's first chunk, which is there.
  if (param === "index" && id === "0") return { ...refusedWith(404, null), statuses: [200, 404] }
  return refusedWith(404, route.guard === "project" && param === "id" ? "E_NOT_FOUND" : null)
}

/** Another id in one place of the path; the first place says which project, and whose. */
const otherId = (name: string, idOf: (parts: CaseParts, param: string) => string): RouteCase => ({
  name: `path: ${name}`,
  weight: 2,
  fits: ({ params }) => params.length > 0,
  ask: (parts) => {
    const { right, route, stage, chance } = parts
    // Any text is the id of a player, who may have nothing.
    const param = chance.pick(route.params.filter((each) => each !== "playerId"))
    const id = idOf(parts, param)
    const target = targetOf(route, stage, { [param]: id })
    const expects = refusalOf({ route, param, id })
    // An account that tries codes is slowed down.
    const tried = route.codes.has(429)
      ? { ...expects, statuses: [...expects.statuses, 429] }
      : expects
    return asking({ ...right, target }, tried)
  }
})

const somebodyElses = otherId("somebody else's id", foreign)

/** The operator sets the plan of every project. Source: C-507. */
const isOperators = ({ path }: HttpRoute): boolean => path.startsWith("/v1/fleet/projects/")

/** Ids that are none. Source: D-05, T-02. */
export const pathCases: ReadonlyArray<RouteCase> = [
  ...Object.entries(nothings).map(([which, ids]) =>
    otherId(`an id that is ${which}`, ({ chance }) => chance.pick(ids))
  ),
  otherId("an id that is a secret", ({ stage, chance }) =>
    chance.pick(Object.values(stage.secrets))
  ),
  { ...somebodyElses, fits: (route) => somebodyElses.fits(route) && !isOperators(route) }
]
