import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { Clock, Effect } from "effect"
import { Singleton } from "effect/cluster"
import { SqlClient } from "effect/sql"

import { lookEvery } from "../clock/RuleTime.ts"
import { RandomHex } from "../store/Secrets.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { Remote, type RemoteBytes } from "./RemoteBytes.ts"

interface Sweeping {
  readonly sql: SqlClient.SqlClient
  readonly remote: RemoteBytes
}

/** Removes what no row has had for an hour. @returns whether there may be more of it */
const removeGarbage = ({ sql, remote }: Sweeping) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    yield* Effect.orDie(sql`
      update object_garbage set dropped_at_ms = ${nowMs} where dropped_at_ms is null`)
    const { max } = ObjectLimits.objectSweepBatch
    const rows = yield* Effect.orDie(sql<{
      readonly id: bigint
      readonly blob: string
      readonly held: boolean
    }>`select id, blob, exists (select from objects o where o.blob = g.blob) as held
      from object_garbage g where dropped_at_ms <= ${nowMs - ObjectLimits.objectKept.ms}
      order by dropped_at_ms, id limit ${max}`)
    // The last row that has it puts it here again.
    const gone = new Set(rows.flatMap(({ blob, held }) => (held ? [] : [blob])))
    yield* Effect.orDie(
      Effect.forEach(gone, (blob) => remote.delete(blob), {
        concurrency: "unbounded",
        discard: true
      })
    )
    const ids = rows.map(({ id }) => String(id))
    if (ids.length > 0)
      yield* Effect.orDie(sql`delete from object_garbage where id = any(${ids}::bigint[])`)
    return rows.length === max
  })

/** The moment at which bytes got their name. */
const placedAtMs = (name: string): number => Number.parseInt(name.slice(name.indexOf(".") + 1), 36)

/**
 * Looks at a page of the names in the S3 for bytes whose row never came: their runner ended between the two.
 * @returns the last name of the page; empty = there is no further one
 */
const findOrphans = Effect.fnUntraced(function* ({ sql, remote }: Sweeping, after: string) {
  const nowMs = yield* Clock.currentTimeMillis
  const names = yield* Effect.orDie(remote.list(after))
  const old = names.filter((name) => placedAtMs(name) <= nowMs - ObjectLimits.objectOrphan.ms)
  if (old.length > 0)
    yield* Effect.orDie(sql`
      insert into object_garbage (blob)
      select name from unnest(${old}::text[]) as found (name)
      where not exists (select from objects o where o.blob = name)
        and not exists (select from object_garbage g where g.blob = name)`)
  return names.at(-1) ?? ""
})

/** One sweep: what has waited for its time, and a page of names. It begins anywhere, and goes round. */
export const makeObjectSweep = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const remote = yield* Remote
  const randomHex = yield* RandomHex
  if (remote === null) return Effect.void
  let after = randomHex(32)
  return Effect.gen(function* () {
    yield* Effect.repeat(removeGarbage({ sql, remote }), {
      while: (more) => more,
      times: ObjectLimits.objectSweepSteps.max - 1
    })
    after = yield* findOrphans({ sql, remote }, after)
  }).pipe(Effect.withSpan("ObjectSweep"))
})

/** Empties the S3 of what no row needs, once per cluster. Source: C-468. */
export const ObjectSweep = Singleton.make(
  "ObjectSweep",
  Effect.gen(function* () {
    const sweep = yield* makeObjectSweep
    yield* sweep.pipe(logFailure("the S3 was not swept"), lookEvery(ObjectLimits.objectSweep.ms))
  })
)
