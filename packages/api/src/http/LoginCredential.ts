import { type AccountRow, AccountStore } from "@atrium/actors/store/AccountStore"
import { isSecret } from "@atrium/domain/Ids"
import { Effect, Option, Redacted } from "effect"

/**
 * Whose login credential a request bears: the one place that knows the kinds of it. A text that has
 * not the form of one is no question to the store.
 */
export const makeLoginCredential = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const accountOf = (bearer: Redacted.Redacted): Effect.Effect<Option.Option<AccountRow>> => {
    const token = Redacted.value(bearer)
    return isSecret("loginToken", token) ? accounts.accountOf(token) : Effect.succeedNone
  }
  return { accountOf }
})
