import { storeCodeOf } from "@atrium/actors/store/StoreFailure"
import { innermostReason } from "@atrium/domain/shared/Innermost"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Cause, Clock, Context, Effect, Exit, Fiber, Layer, Metric, Ref } from "effect"
import { SqlClient } from "effect/sql"

const writable = Metric.gauge("atrium_store_writable", {
  description: "1 while the store takes writes, 0 while it is away or its disk is full"
})

/**
 * Takes a mebibyte of the database's disk and gives it back. A row that is changed in place says
 * nothing of a full disk: PostgreSQL has the space for it already. The commit is written to the log.
 */
const probe = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`do $probe$
    declare name text := 'write_probe_' || pg_backend_pid();
    begin
      execute format('create unlogged table %I (block text)', name);
      execute format('alter table %I alter column block set storage plain', name);
      execute format('insert into %I select repeat(''x'', 8000) from generate_series(1, 128)', name);
      execute format('drop table %I', name);
    end $probe$`
)

/** Whether the store takes writes. A question causes no look: `/ready` must cost the store nothing. */
export class StoreWrites extends Context.Service<
  StoreWrites,
  { readonly taken: Effect.Effect<boolean> }
>()("@atrium/api/start/StoreWrites") {
  static readonly layer = Layer.effect(
    StoreWrites,
    Effect.gen(function* () {
      const refusedSinceMs = yield* Ref.make<number | null>(null)

      /** StoreWatch logs a database that does not answer. */
      const tell = (cause: Cause.Cause<unknown>) =>
        storeCodeOf(cause) === ""
          ? Effect.void
          : Effect.logError(
              `the store takes no writes (${reasonOf(cause)}); rooms go on in memory until it has space`
            )

      const refused = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
        yield* Metric.update(writable, 0)
        if ((yield* Ref.get(refusedSinceMs)) === null) {
          yield* Ref.set(refusedSinceMs, yield* Clock.currentTimeMillis)
          yield* tell(cause)
        }
      })

      const taken = Effect.gen(function* () {
        yield* Metric.update(writable, 1)
        const sinceMs = yield* Ref.getAndSet(refusedSinceMs, null)
        if (sinceMs === null) return
        const ms = (yield* Clock.currentTimeMillis) - sinceMs
        yield* Effect.logInfo(`the store takes writes again, after ${ms} ms`)
      })

      /** One look at a time: one that hangs keeps its connection until the store answers it. */
      const look = Effect.gen(function* () {
        const asked = yield* Effect.forkDetach(Effect.exit(probe))
        const late = Effect.delay(
          refused(Cause.fail("the store does not answer")),
          StoreLimits.storeAnswer.ms
        )
        const exit = yield* Effect.raceFirst(Fiber.join(asked), Effect.andThen(late, Effect.never))
        yield* Exit.match(exit, { onFailure: refused, onSuccess: () => taken })
      })

      yield* look
      yield* look.pipe(Effect.delay(StoreLimits.storeProbe.ms), Effect.forever, Effect.forkScoped)
      return { taken: Effect.map(Ref.get(refusedSinceMs), (sinceMs) => sinceMs === null) }
    })
  )
}

/** PostgreSQL's own message. */
const reasonOf = (cause: Cause.Cause<unknown>): string => innermostReason(Cause.squash(cause))
