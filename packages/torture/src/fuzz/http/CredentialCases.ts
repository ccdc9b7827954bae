import { SecretPrefix } from "@atrium/domain/shared/Ids"

import {
  asking,
  badRequest,
  type CaseParts,
  type HttpAsk,
  refusedWith,
  type RouteCase,
  unauthenticated
} from "./HttpCase.ts"
import { withAnother, withHeader } from "./HttpDraft.ts"
import type { HttpRoute } from "./HttpRoute.ts"

const LongToken = 10_000

const isGuarded = ({ guard }: HttpRoute): boolean => guard === "project" || guard === "login"
const hasOwner = ({ guard, params }: HttpRoute): boolean =>
  guard === "project" || (guard === "login" && params.length > 0)

/** A case for a malformed credential: a route that asks for one answers 401, also when other parts are wrong. */
const none = (name: string, authorization: (parts: CaseParts) => string): RouteCase => ({
  name: `credential: ${name}`,
  weight: 2,
  fits: () => true,
  ask: (parts) => {
    const value = authorization(parts)
    const isKey = /^bearer +rk_/i.test(value)
    const { guard } = parts.route
    const decides = isGuarded(parts.route) || (guard === "keyless" && isKey)
    return asking(
      withHeader(decides ? parts.right : parts.doomed, "authorization", value),
      decides ? unauthenticated : badRequest
    )
  }
})

/** A case for routes that ask whose credential it is. */
const guarded = (
  name: string,
  ask: (parts: CaseParts) => HttpAsk,
  fits: (route: HttpRoute) => boolean = isGuarded
): RouteCase => ({ name: `credential: ${name}`, weight: 2, fits, ask })

const bearing = ({ right }: CaseParts, secret: string) =>
  withHeader(right, "authorization", `Bearer ${secret}`)

const oddCase = (text: string): string =>
  [...text].map((char, at) => (at % 2 === 0 ? char.toLowerCase() : char.toUpperCase())).join("")

const anySecret = ({ chance }: CaseParts, prefix: string): string =>
  prefix + chance.bytes(32).toString("base64url")

const spoiled = (parts: CaseParts, secret: string): string =>
  parts.chance.pick([
    secret.slice(0, -1),
    `${secret}A`,
    `${secret}\u00e9`,
    secret.slice(3),
    oddCase(secret),
    `${secret},${secret}`,
    `"${secret}"`,
    `${secret} ${secret}`,
    secret.replace("_", "-"),
    `%20${secret}`
  ])

/** Every kind of credential that does not do. Source: D-03, D-16, D-23. */
export const credentialCases: ReadonlyArray<RouteCase> = [
  guarded("missing", ({ right }) =>
    asking(withHeader(right, "authorization", null), unauthenticated)
  ),
  none("nothing in it", ({ chance }) =>
    chance.pick(["", "Bearer", "Bearer ", "bearer", "Bearer\t", ",", "\u00a0"])
  ),
  none("another scheme", ({ chance, stage }) =>
    chance.pick([
      `Basic ${Buffer.from(`key:${stage.secrets.login}`).toString("base64")}`,
      `Token ${stage.secrets.login}`,
      `Digest username="${stage.secrets.login}"`,
      stage.secrets.login,
      `Bearer:${stage.secrets.login}`,
      `Bearer\t${stage.secrets.login}`
    ])
  ),
  none(
    "unknown",
    (parts) => `Bearer ${anySecret(parts, parts.chance.pick(Object.values(SecretPrefix)))}`
  ),
  none(
    "a malformed key",
    (parts) => `Bearer ${spoiled(parts, parts.stage.secrets.writeKey).replace(/^(?!rk_)/, "x")}`
  ),
  none(
    "a malformed login",
    (parts) => `Bearer ${spoiled(parts, parts.stage.secrets.login).replace(/^rk_/, "x")}`
  ),
  none("a revoked key", ({ stage }) => `Bearer ${stage.secrets.revokedKey}`),
  none("a revoked login", ({ stage }) => `Bearer ${stage.secrets.revokedLogin}`),
  none("a player's token", ({ stage }) => `Bearer ${stage.secrets.identity}`),
  none(
    "a code of a device or an invitation",
    ({ stage, chance }) =>
      `Bearer ${chance.pick([stage.secrets.deviceCode, stage.secrets.invitationCode])}`
  ),
  none(
    "very long",
    ({ chance }) => `Bearer ${chance.pick(["ct_", "rk_", "eyJ", ""])}${"a".repeat(LongToken)}`
  ),
  none(
    "bytes",
    // A header may hold the bytes 0x80 to 0xff.
    ({ chance }) => {
      const bytes = Array.from({ length: 40 }, () => 0x80 + chance.below(0x80))
      return `Bearer ${String.fromCharCode(...bytes)}`
    }
  ),
  guarded("two of them", ({ right, chance, stage }) => {
    const good = `Bearer ${stage.secrets.login}`
    const [first, second] = chance.pick([
      [good, "Bearer nonsense"],
      ["Bearer nonsense", good],
      [good, good],
      ["", good]
    ] as const)
    const draft = withAnother(withHeader(right, "authorization", first), "authorization", second)
    return asking(draft, unauthenticated)
  }),
  guarded("in another place", ({ right, doomed, chance, stage }) => {
    const { login, writeKey } = stage.secrets
    const [draft, name, value] = chance.pick([
      [right, "x-api-key", writeKey],
      [right, "cookie", `atrium_session=${writeKey}`],
      [right, "cookie", `atrium_session=${login}`],
      [
        right,
        "cookie",
        `session=${stage.secrets.session}; ATRIUM_SESSION=${stage.secrets.session}`
      ],
      [right, "proxy-authorization", `Bearer ${login}`],
      [doomed, "x-forwarded-authorization", `Bearer ${login}`]
    ] as const)
    return asking(
      withHeader(withHeader(draft, "authorization", null), name, value),
      unauthenticated
    )
  }),
  guarded(
    "a session on a write that no page of ours asks for",
    ({ right, chance, stage }) => {
      const withCookie = withHeader(
        withHeader(right, "authorization", null),
        "cookie",
        `atrium_session=${stage.secrets.session}`
      )
      const [name, value] = chance.pick([
        ["origin", "https://evil.example"],
        ["origin", "null"],
        ["sec-fetch-site", "cross-site"],
        ["sec-fetch-site", "same-site"],
        ["x-nothing", "1"]
      ] as const)
      return asking(withHeader(withCookie, name, value), refusedWith(403, "E_ORIGIN"))
    },
    (route) => isGuarded(route) && route.method !== "GET"
  ),
  guarded(
    "a key where keys do not reach",
    (parts) =>
      asking(
        bearing(
          parts,
          parts.chance.pick([parts.stage.secrets.writeKey, parts.stage.secrets.readKey])
        ),
        unauthenticated
      ),
    ({ guard, scope }) => guard !== "open" && scope === null
  ),
  guarded(
    "a key that may only read",
    (parts) => asking(bearing(parts, parts.stage.secrets.readKey), refusedWith(403, "E_SCOPE")),
    ({ scope }) => scope === "rooms:write"
  ),
  guarded(
    "a key of another project",
    (parts) =>
      asking(bearing(parts, parts.stage.secrets.foreignKey), refusedWith(404, "E_NOT_FOUND")),
    ({ scope }) => scope !== null
  ),
  guarded(
    "another account's login",
    (parts) => {
      const { method, guard } = parts.route
      const expects = refusedWith(404, guard === "project" ? "E_NOT_FOUND" : null)
      // A device that asks is anybody's to see.
      const seen = guard === "login" && method === "GET"
      return asking(
        bearing(parts, parts.stage.secrets.strangersLogin),
        seen ? { ...expects, statuses: [200, 404, 429] } : expects
      )
    },
    hasOwner
  ),
  {
    name: "credential: right, in another case",
    weight: 1,
    fits: isGuarded,
    ask: ({ doomed, chance, stage }) => {
      const scheme = chance.pick(["bearer", "BEARER", "bEaReR", "Bearer  ", "Bearer     "])
      const value = `${scheme} ${stage.secrets.login}${chance.pick(["", " ", "   "])}`
      return asking(withHeader(doomed, "authorization", value), badRequest)
    }
  }
]
