import { Remote } from "@atrium/actors/objects/RemoteBytes"
import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { Clock, Context, Effect, Layer, Metric } from "effect"

const up = Metric.gauge("atrium_objects_up", {
  description: "1 while the S3 of objects answers, 0 while it is away; only where there is one"
})

/** Whether the S3 answers. A question causes no look: `/ready` must cost the S3 nothing. */
export class ObjectsWatch extends Context.Service<
  ObjectsWatch,
  { readonly answers: Effect.Effect<boolean> }
>()("@atrium/api/start/ObjectsWatch") {
  static readonly layer = Layer.effect(
    ObjectsWatch,
    Effect.gen(function* () {
      const remote = yield* Remote
      if (remote === null) return { answers: Effect.succeed(true) }
      let awaySinceMs: number | null = null

      const away = Effect.fnUntraced(function* ({ message }: { readonly message: string }) {
        yield* Metric.update(up, 0)
        if (awaySinceMs !== null) return
        awaySinceMs = yield* Clock.currentTimeMillis
        yield* Effect.logError(`the S3 of objects is away; rooms go on in memory`).pipe(
          Effect.annotateLogs({ why: message })
        )
      })

      const there = Effect.gen(function* () {
        yield* Metric.update(up, 1)
        if (awaySinceMs === null) return
        const ms = (yield* Clock.currentTimeMillis) - awaySinceMs
        awaySinceMs = null
        yield* Effect.logInfo(`the S3 of objects answers again, after ${ms} ms`)
      })

      const look = Effect.matchEffect(remote.probe, { onFailure: away, onSuccess: () => there })
      yield* look
      yield* look.pipe(Effect.delay(ObjectLimits.objectProbe.ms), Effect.forever, Effect.forkScoped)
      return { answers: Effect.sync(() => awaySinceMs === null) }
    })
  )
}
