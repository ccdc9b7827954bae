import { ApiKeys } from "@atrium/actors/keys/ApiKeys"
import { ProjectOwners } from "@atrium/actors/projects/ProjectOwners"
import { CallersProject, ProjectAccess, RequiredScope } from "@atrium/domain/http/Credential"
import { isProjectId, isSecret } from "@atrium/domain/shared/Ids"
import { NotFound, Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter } from "effect/http"

import { AuditLog } from "../audit/AuditLog.ts"
import { makeLoginCredential } from "../logins/LoginCredential.ts"
import { JoinTerms } from "../router/JoinTerms.ts"

/**
 * Lets through who may reach the project of the path: by a login of its account, or by an API key
 * where the route names a scope. Nothing of the request but its credential and path is looked at, and
 * a foreign project takes the same steps as one that does not exist. Source: D-03, T-02.
 */
export const ProjectAuth = Layer.effect(
  ProjectAccess,
  Effect.gen(function* () {
    const logins = yield* makeLoginCredential
    const owners = yield* ProjectOwners
    const keys = yield* ApiKeys
    const auditLog = yield* AuditLog
    const terms = yield* JoinTerms
    /** Joins by this runner know of a change before its caller does. */
    const changed = (projectId: string) => Effect.sync(() => terms.changed(projectId))

    const byLogin = Effect.fnUntraced(function* (bearer: Redacted.Redacted, projectId: string) {
      const account = yield* logins.accountOf(bearer)
      if (Option.isNone(account)) return yield* new Unauthenticated()
      const { accountId } = account.value
      if (!(yield* owners.owns({ accountId, projectId }))) return yield* new NotFound()
      return { actor: account.value.tokenId, accountId }
    })

    return {
      bearer: Effect.fnUntraced(function* (httpEffect, { credential, endpoint }) {
        const { id: projectId = "" } = yield* HttpRouter.params
        const scope = Context.get(endpoint.annotations, RequiredScope)
        const secret = Redacted.value(credential)
        const byKey = isSecret("apiKey", secret)
        if (byKey && scope === null) return yield* new Unauthenticated()
        const caller =
          byKey && scope !== null
            ? { actor: yield* keys.use({ secret, projectId, scope }), accountId: null }
            : yield* byLogin(credential, projectId)
        if (!isProjectId(projectId)) return yield* new NotFound()
        return yield* Effect.provideService(httpEffect, CallersProject, { projectId }).pipe(
          Effect.ensuring(endpoint.method === "GET" ? Effect.void : changed(projectId)),
          auditLog.around(endpoint, { ...caller, projectId })
        )
      })
    }
  })
)
