import { AccountStore } from "@atrium/actors/logins/AccountStore"
import { Account } from "@atrium/domain/http/Credential"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"

/** Refuses every account but that of the first start: to it alone the routes are there. */
export const makeOperatorOnly = Effect.map(AccountStore, (accounts) =>
  Effect.gen(function* () {
    const { accountId } = yield* Account
    const owner = Option.getOrNull(yield* accounts.owner)
    if (owner?.accountId !== accountId) return yield* new NotFound()
  })
)
