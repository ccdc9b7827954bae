import { Result, Schema } from "effect"
import { expect, test } from "vitest"

import { IdentityLimits } from "./IdentityLimits.ts"
import { IdentityProviders } from "./IdentityProviders.ts"

const google = {
  issuer: "https://accounts.google.com",
  audience: "1234.apps.example",
  jwksUrl: "https://www.googleapis.com/oauth2/v3/certs"
}
const isTaken = (providers: unknown): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(IdentityProviders)(providers))
const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ ...google, audience: `a${at}` }))

test("[C-541] [limits.providers] a project has at most eight providers, none of them twice", () => {
  const { max } = IdentityLimits.providers
  for (const taken of [[], [google], numbered(max)]) expect(isTaken(taken)).toBe(true)
  for (const refused of [numbered(max + 1), [google, google], null, [null], [{}]]) {
    expect(isTaken(refused)).toBe(false)
  }
})

test.each([
  "http://www.googleapis.com/certs",
  "https://user@www.googleapis.com/certs",
  "https://:word@www.googleapis.com/certs",
  "https://www.googleapis.com/certs#keys",
  "HTTPS://www.googleapis.com/certs",
  "https://0x7f000001/certs",
  "https://www.googleapis.com",
  "file:///etc/passwd",
  "certs",
  ""
])("[C-541] %j is no address of keys", (jwksUrl) =>
  expect(isTaken([{ ...google, jwksUrl }])).toBe(false)
)

test("[limits.providerTextChars] an issuer, an audience and an address have at most 512 characters", () => {
  const { max } = IdentityLimits.providerTextChars
  const path = `https://a.example/${"x".repeat(max - 18)}`
  for (const [name, longest] of [
    ["issuer", "x".repeat(max)],
    ["audience", "x".repeat(max)],
    ["jwksUrl", path]
  ] as const) {
    expect(isTaken([{ ...google, [name]: longest }])).toBe(true)
    expect(isTaken([{ ...google, [name]: `${longest}x` }])).toBe(false)
    expect(isTaken([{ ...google, [name]: "" }])).toBe(false)
  }
})
