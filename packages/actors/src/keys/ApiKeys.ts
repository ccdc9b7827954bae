import { isKeyId } from "@atrium/domain/shared/Ids"
import {
  KeyNotFound,
  NotFound,
  NotReady,
  type ScopeMissing,
  Unauthenticated
} from "@atrium/domain/shared/Refusal"
import type { Scope } from "@atrium/domain/shared/Scope"
import { Context, Effect, Layer, Option } from "effect"

import { answeredOr } from "../cluster/ActorAnswer.ts"
import { ApiKeyActor } from "./ApiKeyProtocol.ts"
import { type ApiKeyRow, ApiKeyStore } from "./ApiKeyStore.ts"

/** The use of an API key that a request asks for. */
export interface KeyUse {
  readonly secret: string
  /** As the path has it, whatever its form. */
  readonly projectId: string
  readonly scope: Scope
}

/** API keys, by their secrets and by their ids. A failing store is a defect, or `E_NOT_READY`. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Succeeds with the key's id when the key may do that; the use is noted then. Source: D-03. */
    use(use: KeyUse): Effect.Effect<string, Unauthenticated | NotFound | ScopeMissing | NotReady>
    /** The key's row, revoked now or earlier. Source: D-19. */
    revoke(key: {
      readonly projectId: string
      readonly keyId: string
    }): Effect.Effect<ApiKeyRow, KeyNotFound | NotReady>
  }
>()("@atrium/actors/keys/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      const actorOf = yield* ApiKeyActor.client

      const use = Effect.fn("ApiKeys.use")(function* ({ secret, projectId, scope }: KeyUse) {
        const key = Option.getOrUndefined(yield* keys.opened(secret))
        if (key === undefined) return yield* new Unauthenticated()
        if (!key.projectStands) return yield* new NotFound()
        yield* answered(actorOf(key.keyId).Use({ projectId, scope }))
        return key.keyId
      })

      const revoke: ApiKeys["Service"]["revoke"] = Effect.fn("ApiKeys.revoke")(function* ({
        projectId,
        keyId
      }) {
        if (!isKeyId(keyId)) return yield* new KeyNotFound()
        yield* answered(actorOf(keyId).Revoke({ projectId }))
        return yield* Effect.flatMap(keys.find(keyId), Effect.fromOption).pipe(
          Effect.mapError(() => new KeyNotFound())
        )
      })

      return { use, revoke }
    })
  )
}

const answered = answeredOr(new NotReady({ message: "the key's actor does not answer" }))
