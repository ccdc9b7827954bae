import { KeyId } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestRunner } from "effect/cluster"
import { TestClock } from "effect/testing"

import { ApiKeyActor } from "./ApiKeyProtocol.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

const keyId = KeyId.make("key_0123456789abcdef")
const projectId = "p_0123456789abcdef"

/** A store that knows one key, and an actor of it that never answers. */
const Silent = ApiKeys.layer.pipe(
  Layer.provide(ApiKeyActor.toLayer({ Use: () => Effect.never, Revoke: () => Effect.never })),
  Layer.provide(TestRunner.layer),
  Layer.provide(
    Layer.mock(ApiKeyStore, {
      opened: () => Effect.succeed(Option.some({ keyId, projectStands: true }))
    })
  )
)

const tagOf = ({ _tag }: { readonly _tag: string }): string => _tag

it.effect("[C-64] an actor that does not answer says nothing of the key", () =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const use = Effect.flip(keys.use({ secret: "rk_", projectId, scope: "rooms:read" }))
    const revoke = Effect.flip(keys.revoke({ projectId, keyId }))
    for (const call of [Effect.map(use, tagOf), Effect.map(revoke, tagOf)]) {
      const asked = yield* Effect.forkChild(call)
      yield* TestClock.adjust(ServiceLimits.actorCall.ms - 1)
      expect(asked.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(asked)).toBe("E_NOT_READY")
    }
  }).pipe(Effect.provide(Silent))
)

it.effect("[D-19] a malformed key id is refused without a message to an actor", () =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    for (const malformed of ["", "key_", "key_0123456789abcde\0", `${keyId}0`]) {
      const refused = yield* Effect.flip(keys.revoke({ projectId, keyId: malformed }))
      expect(refused._tag).toBe("E_KEY_NOT_FOUND")
    }
  }).pipe(Effect.provide(Silent))
)
