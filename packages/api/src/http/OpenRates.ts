import type { RateLimited } from "@atrium/domain/shared/Refusal"
import { type RateLimit } from "@atrium/wire/limits/Limit"
import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"

import { ClientAddresses } from "./ClientAddresses.ts"
import { clientAddress } from "./PublicAddress.ts"
import { RateGate } from "./RateGate.ts"

/** The allowances of an open endpoint. Spec: Open endpoint rate limits. */
export interface OpenRate {
  readonly address: RateLimit
  /** Of what a request is about: its project, or more closely its room. */
  readonly subject: RateLimit
}

/** The subject of a request. */
export interface Asked<A, E, R> {
  /** The subject whose allowance the request spends besides that of its address. */
  readonly subject: string
  /** Finds it; what is not there has no allowance to spend. */
  readonly found: Effect.Effect<A, E, R>
}

/** Rates of the endpoints that take no credential but the project's id. Source: D-26, C-122. */
export class OpenRates extends Context.Service<
  OpenRates,
  {
    /**
     * Spends the allowance of the address, then that of what the request is about, if that is there.
     * A refused request has cost no look at the store.
     */
    pass<A, E, R>(
      rate: OpenRate,
      asked: Asked<A, E, R>
    ): Effect.Effect<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest>
  }
>()("@atrium/api/http/OpenRates") {
  /** @param rates the rates of every feature */
  static readonly layer = (rates: ReadonlyArray<OpenRate>) =>
    Layer.effect(
      OpenRates,
      Effect.gen(function* () {
        const addresses = yield* ClientAddresses
        const gates = new Map(
          rates.map((rate) => [
            rate,
            { address: new RateGate(rate.address), asked: new RateGate(rate.subject) }
          ])
        )
        return {
          pass: Effect.fn("OpenRates.pass")(function* <A, E, R>(
            rate: OpenRate,
            { subject, found }: Asked<A, E, R>
          ) {
            const gate = gates.get(rate)
            if (gate === undefined) {
              return yield* Effect.die(
                new Error(`"${rate.address.says}": list this rate in a feature.ts`)
              )
            }
            const { address, asked } = gate
            const caller = yield* Effect.provideService(clientAddress, ClientAddresses, addresses)
            if (!caller.exempt) yield* address.pass(caller.subject)
            yield* asked.check(subject)
            const there = yield* found
            yield* asked.pass(subject)
            return there
          })
        }
      })
    )
}
