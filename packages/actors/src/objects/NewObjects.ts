import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import type { ObjectPlace } from "@atrium/domain/objects/ObjectPlace"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Where the bytes of new objects go. The database says so, for all runners alike; a runner asks it now and then. An order
 * to move may come meanwhile: the mover finds what was still stored in the old place.
 */
export const readNewObjects = (sql: SqlClient.SqlClient): Effect.Effect<ObjectPlace> => {
  let known: ObjectPlace | null = null
  let askedAtMs = 0
  return Effect.gen(function* () {
    // Neither the service's clock, which tests move, nor a wall clock, which is set back.
    const nowMs = performance.now()
    if (known !== null && nowMs - askedAtMs < ObjectLimits.objectPlace.ms) return known
    const [row] = yield* Effect.orDie(
      sql<{ readonly place: ObjectPlace }>`select place from object_place`
    )
    known = row?.place ?? "postgres"
    askedAtMs = nowMs
    return known
  })
}
