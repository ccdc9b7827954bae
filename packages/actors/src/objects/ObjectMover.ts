import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { ObjectMoves } from "./ObjectMoves.ts"

/** Moves the bytes of objects to where they were ordered, once per cluster. Source: C-469. */
export const ObjectMover = Singleton.make(
  "ObjectMover",
  Effect.gen(function* () {
    const { step } = yield* ObjectMoves
    yield* step.pipe(
      Effect.tap((done) =>
        Effect.forEach(done?.failed ?? [], ({ key, why }) =>
          Effect.logError("an object was not moved").pipe(Effect.annotateLogs({ key, why }))
        )
      ),
      Effect.repeat({ while: (done) => done !== null }),
      logFailure("objects were not moved"),
      lookEvery(ObjectLimits.objectMoveLook.ms)
    )
  })
)
