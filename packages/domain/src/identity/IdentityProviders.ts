import { Schema } from "effect"

import { plainText } from "../http/PlainText.ts"
import { IdentityLimits } from "./IdentityLimits.ts"

const { max: charsMax } = IdentityLimits.providerTextChars

/** Whether a text is an address from which keys may be read, in the spelling that a URL library gives it. */
const isJwksUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url?.protocol === "https:" &&
    url.href === text &&
    url.username === "" &&
    url.password === "" &&
    url.hash === ""
  )
}

const jwksUrlForm = "must be an https address without user, password and fragment"

/** Who signs assertions for a project: a token's `iss` and `aud`, and where its keys are. Source: C-541. */
export const IdentityProvider = Schema.Struct({
  issuer: plainText(charsMax),
  audience: plainText(charsMax),
  jwksUrl: plainText(charsMax).check(Schema.makeFilter((text) => isJwksUrl(text) || jwksUrlForm))
}).annotate({
  identifier: "IdentityProvider",
  description: "Whose signed tokens are players of the project: issuer, audience, and its keys."
})
export type IdentityProvider = typeof IdentityProvider.Type

const { max: providersMax } = IdentityLimits.providers

const faultOf = (providers: ReadonlyArray<IdentityProvider>): string | null => {
  if (providers.length > providersMax) return `at most ${providersMax} providers`
  const pairs = providers.map(({ issuer, audience }) => JSON.stringify([issuer, audience]))
  return new Set(pairs).size === pairs.length ? null : "no issuer and audience twice"
}

/** The identity providers of a project. */
export const IdentityProviders = Schema.Array(IdentityProvider).check(
  Schema.makeFilter((providers) => faultOf(providers) ?? true, {
    toJsonSchema: () => ({ maxItems: providersMax })
  })
)
