import { aloneName } from "@atrium/domain/fleet/RunnerStatus"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { RateLimits } from "@atrium/domain/rates/RateLimits"
import { RateLedger } from "@atrium/domain/shared/RateLedger"
import type { RateLimit } from "@atrium/wire/limits/Limit"
import { Clock, Context, Effect, Hash, Layer, Metric, Schedule } from "effect"

import { ThisRunner } from "../fleet/FleetReporter.ts"
import { OwnedRate, type RateOwners, type SharedRate } from "./OwnedRate.ts"
import { RateActor } from "./RateProtocol.ts"

/** The rates of the service: what several runners let through together. Source: C-379, C-383. */
export class SharedRates extends Context.Service<
  SharedRates,
  { of(limit: RateLimit): SharedRate }
>()("@atrium/actors/rates/SharedRates") {
  /** A runner alone counts by itself, and asks nobody. */
  static readonly layerAlone = Layer.succeed(SharedRates, {
    of: (limit) => new RateLedger(limit)
  })

  /** One of several runners. */
  static readonly layerOwned = Layer.effect(
    SharedRates,
    Effect.gen(function* () {
      const { name } = yield* ThisRunner
      const clock = yield* Clock.Clock
      const rates: Array<OwnedRate> = []
      const owners = yield* makeOwners(name, () => clock.currentTimeMillisUnsafe())
      yield* Effect.sync(() => {
        for (const rate of rates) rate.sweep(owners.nowMs())
      }).pipe(Effect.repeat(Schedule.spaced(RateLimits.heldFor.ms)), Effect.forkScoped)
      return {
        of: (limit) => {
          const rate = new OwnedRate(limit, owners, HttpLimits.rateSubjects)
          rates.push(rate)
          return rate
        }
      }
    })
  )

  static readonly layer = Layer.unwrap(
    Effect.map(ThisRunner, ({ name }) =>
      name === aloneName ? SharedRates.layerAlone : SharedRates.layerOwned
    )
  )
}

const alone = Metric.counter("atrium_rates_alone_total", {
  description: "Questions to owners of buckets that had no answer: this runner counted by itself",
  incremental: true
})

/** An owner that does not answer is not asked for a while: the requests of that time would all wait for it. */
const makeOwners = Effect.fnUntraced(function* (runner: string, nowMs: () => number) {
  const ownerOf = yield* RateActor.client
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const restsUntilMs = new Map<string, number>()
  const countedAlone = Effect.as(Metric.update(alone, 1), null)
  const owners: RateOwners = {
    nowMs,
    ask: async (ask) => {
      const key = String(
        Math.abs(Hash.string(`${ask.rate.says} ${ask.subject}`)) % RateLimits.rateOwners.max
      )
      if (performance.now() < (restsUntilMs.get(key) ?? 0)) return await run(countedAlone)
      const answer = await run(
        ownerOf(key)
          .Ask({ ...ask, runner })
          .pipe(
            Effect.timeout(RateLimits.ownerAnswer.ms),
            Effect.catchCause(() => Effect.succeed(null))
          )
      ).catch(() => null)
      if (answer !== null) return answer
      restsUntilMs.set(key, performance.now() + RateLimits.ownerRest.ms)
      return await run(countedAlone)
    }
  }
  return owners
})
