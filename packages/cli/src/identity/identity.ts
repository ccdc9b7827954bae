import type { IdentityProvider } from "@atrium/domain/identity/IdentityProviders"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import { openOwn, type Target } from "../projects/CommandProject.ts"
import { json, target } from "../projects/ProjectParameters.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

const issuer = Flag.String("issuer").pipe(
  Flag.withDescription("The claim `iss` of its tokens, such as https://accounts.google.com")
)
const audience = Flag.String("audience").pipe(
  Flag.withDescription("The claim `aud` of its tokens: the id that it gave to your game")
)

const list = Command.make(
  "list",
  { ...target, json },
  Effect.fn("atrium.identity.list")(function* (input) {
    yield* show((yield* openProviders(input)).providers, input.json)
  })
).pipe(Command.withDescription("List the identity providers of a project"))

const add = Command.make(
  "add",
  {
    ...target,
    json,
    issuer,
    audience,
    jwksUrl: Flag.String("jwks-url").pipe(
      Flag.withDescription("The https address of its public keys, its `jwks_uri`")
    )
  },
  Effect.fn("atrium.identity.add")(function* (input) {
    const { providers, set } = yield* openProviders(input)
    const { issuer, audience, jwksUrl } = input
    const others = providers.filter((each) => !isOf(each, input))
    yield* show(yield* set([...others, { issuer, audience, jwksUrl }]), input.json)
  })
).pipe(
  Command.withDescription("Take the signed tokens of an identity provider, or move its keys"),
  Command.withExamples([
    {
      command:
        "atrium identity add --issuer https://accounts.google.com --audience 1234.apps.googleusercontent.com --jwks-url https://www.googleapis.com/oauth2/v3/certs"
    }
  ])
)

const remove = Command.make(
  "remove",
  { ...target, json, issuer, audience },
  Effect.fn("atrium.identity.remove")(function* (input) {
    const { providers, set } = yield* openProviders(input)
    const others = providers.filter((each) => !isOf(each, input))
    if (others.length === providers.length) {
      return yield* new Misused({
        message: "no such provider: `atrium identity list` shows those that there are"
      })
    }
    yield* show(yield* set(others), input.json)
  })
).pipe(Command.withDescription("Take no more tokens of an identity provider"))

/** `atrium identity`: whose signed tokens prove players to a project. Source: C-541. */
export const identity = Command.make("identity").pipe(Command.withSubcommands([list, add, remove]))

const isOf = (
  provider: IdentityProvider,
  named: Pick<IdentityProvider, "issuer" | "audience">
): boolean => provider.issuer === named.issuer && provider.audience === named.audience

/** The providers of a project, and how to set others in their place. */
const openProviders = Effect.fnUntraced(function* (input: Target) {
  const { ask, providers: api, project } = yield* openOwn(input)
  const request = { params: { id: project.id }, query: {} }
  const { providers } = yield* ask(api.read(request))
  const set = (given: ReadonlyArray<IdentityProvider>) =>
    Effect.map(
      ask(api.set({ ...request, payload: { providers: given } })),
      (answer) => answer.providers
    )
  return { providers, set }
})

const columns: ReadonlyArray<Column<IdentityProvider>> = [
  { title: "ISSUER", cell: ({ issuer }) => issuer, weight: 3 },
  { title: "AUDIENCE", cell: ({ audience }) => audience, weight: 2 },
  { title: "KEYS", cell: ({ jwksUrl }) => jwksUrl, weight: 1 }
]

const show = Effect.fnUntraced(function* (
  providers: ReadonlyArray<IdentityProvider>,
  asJson: boolean
) {
  if (asJson) return yield* Console.log(JSON.stringify(providers))
  if (providers.length === 0) {
    return yield* Console.error("no identity providers: only your own secret signs assertions")
  }
  yield* Console.log(yield* tableFor(providers, columns))
})
