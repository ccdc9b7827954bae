import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import type { RateLimited } from "@atrium/domain/shared/Refusal"
import { type RateLimit } from "@atrium/wire/limits/Limit"
import { Context, Effect, Layer, Record } from "effect"
import type { HttpServerRequest } from "effect/http"

import { ClientAddresses } from "./ClientAddresses.ts"
import { clientAddress } from "./PublicAddress.ts"
import { RateGate } from "./RateGate.ts"

interface Allowances {
  readonly address: RateLimit
  /** Of what a request is about: its project, or more closely its room. */
  readonly subject: RateLimit
}

/** The table of the specification, one pair of allowances for each row. Spec: Open endpoint rate limits. */
const table = {
  identity: {
    address: IdentityLimits.identityMintsByAddress,
    subject: IdentityLimits.identityMints
  },
  lobby: { address: BoardLimits.boardReadsByAddress, subject: BoardLimits.boardReads },
  audience: {
    address: AudienceLimits.audienceMintsByAddress,
    subject: AudienceLimits.audienceMints
  }
} as const satisfies Record<string, Allowances>

/** A row of the table. */
export type OpenEndpoint = keyof typeof table

/** What a request is about. */
export interface Asked<A, E, R> {
  /** Whose allowance it spends besides that of its address. */
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
     * Who is refused has cost no look at the store.
     */
    pass<A, E, R>(
      endpoint: OpenEndpoint,
      asked: Asked<A, E, R>
    ): Effect.Effect<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest>
  }
>()("@atrium/api/http/OpenRates") {
  static readonly layer = Layer.effect(
    OpenRates,
    Effect.gen(function* () {
      const addresses = yield* ClientAddresses
      const gates = Record.map(table, ({ address, subject }: Allowances) => ({
        address: new RateGate(address),
        asked: new RateGate(subject)
      }))
      return {
        pass: Effect.fn("OpenRates.pass")(function* <A, E, R>(
          endpoint: OpenEndpoint,
          { subject, found }: Asked<A, E, R>
        ) {
          const { address, asked } = gates[endpoint]
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
