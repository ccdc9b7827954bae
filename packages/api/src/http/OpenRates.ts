import { type MeterCounts, RunnerMeter } from "@atrium/actors/meters/RunnerMeter"
import { SharedRates } from "@atrium/actors/rates/SharedRates"
import type { Origins } from "@atrium/domain/projects/Origins"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import type { OriginRefused, RateLimited } from "@atrium/domain/shared/Refusal"
import { type RateLimit } from "@atrium/wire/limits/Limit"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"

import { ClientAddresses } from "./ClientAddresses.ts"
import { fromListed } from "./ProjectOrigins.ts"
import { clientAddress } from "./PublicAddress.ts"
import { RateGate } from "./RateGate.ts"

/** The allowances of an open endpoint. Spec: Open endpoint rate limits. */
export interface OpenRate {
  readonly address: RateLimit
  /** Of what a request is about: its project, or more closely its room. */
  readonly subject: RateLimit
}

/** The subject of a request. */
export interface Asked<P extends OfOrigins, A, E, R, EProject = E> {
  /** The subject whose allowance the request spends besides that of its address. */
  readonly subject: string
  /** Finds the project of the subject. */
  readonly project: Effect.Effect<P, EProject, R>
  /** Finds the subject, for a page that may ask; what is not there has no allowance to spend. */
  readonly found: (project: P) => Effect.Effect<A, E, R>
}

/** A project tells the pages that may ask, and its data out is what they are answered. */
export interface OfOrigins {
  readonly projectId: ProjectId
  readonly origins: Origins
}

/** Rates of the endpoints that take no credential but the project's id. Source: D-26, C-122. */
export class OpenRates extends Context.Service<
  OpenRates,
  {
    /**
     * Spends the allowance of the address, then that of what the request is about, if that is there
     * and the page that asks is one of its project's. A page of another origin learns that the project
     * is there, and nothing else. A request past a rate has cost no look at the store.
     */
    pass<P extends OfOrigins, A, E, R, EProject>(
      rate: OpenRate,
      asked: Asked<P, A, E, R, EProject>
    ): Effect.Effect<
      A,
      E | EProject | RateLimited | OriginRefused,
      R | HttpServerRequest.HttpServerRequest
    >
  }
>()("@atrium/api/http/OpenRates") {
  /** @param rates the rates of every feature */
  static readonly layer = (rates: ReadonlyArray<OpenRate>) =>
    Layer.effect(
      OpenRates,
      Effect.gen(function* () {
        const addresses = yield* ClientAddresses
        const shared = yield* SharedRates
        const meter = yield* RunnerMeter
        const gates = new Map(
          rates.map((rate) => [
            rate,
            {
              address: new RateGate(shared.of(rate.address)),
              asked: new RateGate(shared.of(rate.subject))
            }
          ])
        )
        return {
          pass: Effect.fn("OpenRates.pass")(function* <P extends OfOrigins, A, E, R, EProject>(
            rate: OpenRate,
            { subject, project, found }: Asked<P, A, E, R, EProject>
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
            const of = yield* project
            yield* fromListed(of)
            const there = yield* found(of)
            yield* asked.pass(subject)
            yield* meterAnswer(meter, of.projectId)
            return there
          })
        }
      })
    )
}

/** What this request is answered is data out of the project. */
const meterAnswer = (meter: MeterCounts, projectId: ProjectId) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.sync(() => {
      const { body } = response
      meter.sent(projectId, body._tag === "Empty" ? 0 : (body.contentLength ?? 0))
      return response
    })
  )
