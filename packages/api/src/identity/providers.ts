import { IdentityStore } from "@atrium/actors/identity/IdentityStore"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { IdentityProvidersApi } from "@atrium/domain/identity/IdentityProvidersApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** The identity providers of a project. */
export const IdentityProvidersHandlers = HttpApiBuilder.group(
  apiOf(IdentityProvidersApi),
  "providers",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* IdentityStore
    return handlers.handleAll({
      read: Effect.fn("identity.providers.read")(function* () {
        const { projectId } = yield* CallersProject
        return { providers: yield* store.providers(projectId) }
      }),
      set: Effect.fn("identity.providers.set")(function* ({ payload: { providers } }) {
        const { projectId } = yield* CallersProject
        yield* store.setProviders(projectId, providers)
        return { providers }
      })
    })
  })
)
