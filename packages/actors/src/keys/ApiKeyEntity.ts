import { KeyId } from "@atrium/domain/shared/Ids"
import {
  KeyNotFound,
  NotFound,
  NotReady,
  ScopeMissing,
  Unauthenticated
} from "@atrium/domain/shared/Refusal"
import { Clock, Effect } from "effect"
import { Entity } from "effect/cluster"

import { refusedWithoutStore } from "../store/StoreFailure.ts"
import { ApiKeyEvent, type ApiKeyState, step, type UseAnswer } from "./ApiKeyMachine.ts"
import { ApiKeyActor } from "./ApiKeyProtocol.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

/** The key's shell: loads, steps, saves, answers, in that order, one call at a time. */
export const ApiKeyEntity = ApiKeyActor.toLayer(
  Effect.gen(function* () {
    const keyId = KeyId.make((yield* Entity.CurrentAddress).entityId)
    const keys = yield* ApiKeyStore
    /** `null` = what the row holds has to be read: at first, and after a write that was cut short. */
    let known: ApiKeyState | null = null

    const handle = <Answer>(
      decide: (state: ApiKeyState, nowMs: number) => readonly [ApiKeyState, Answer]
    ) =>
      Effect.gen(function* () {
        const state = known ?? (yield* keys.load(keyId))
        const [next, answer] = decide(state, yield* Clock.currentTimeMillis)
        known = null
        if (next !== state) yield* keys.save(keyId, next)
        known = next
        return answer
      }).pipe(Effect.catchCause(refusedWithoutStore(notReady, "an API key")))

    return ApiKeyActor.of({
      Use: Effect.fnUntraced(function* ({ payload: { projectId, scope } }) {
        const answer = yield* handle((state, nowMs) =>
          step(state, ApiKeyEvent.UseAsked({ projectId, scope, nowMs }))
        )
        if (answer !== "granted") return yield* refusalOf(answer, scope)
      }),
      Revoke: Effect.fnUntraced(function* ({ payload: { projectId } }) {
        const answer = yield* handle((state, nowMs) =>
          step(state, ApiKeyEvent.RevokeAsked({ projectId, nowMs }))
        )
        if (answer !== "revoked") return yield* new KeyNotFound()
      })
    })
  }),
  { concurrency: 1, mailboxCapacity: 1024, maxIdleTime: "1 minute" }
)

const refusalOf = (code: Exclude<UseAnswer, "granted">, scope: string) => {
  switch (code) {
    case "E_UNAUTHENTICATED":
      return new Unauthenticated()
    case "E_NOT_FOUND":
      return new NotFound()
    case "E_SCOPE":
      return new ScopeMissing({ message: `${scope}: the key does not have this scope` })
  }
}

const notReady = new NotReady({ message: "the store does not answer" })
