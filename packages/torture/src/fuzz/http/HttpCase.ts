import type { Chance } from "@atrium/api/testing/Chance"

import { bytesOf, type HttpDraft } from "./HttpDraft.ts"
import type { HttpRoute } from "./HttpRoute.ts"
import type { HttpStage } from "./HttpStage.ts"

/** The answer that a request must get, known from how it was made. */
export interface Expectation {
  /** 0 = the connection ends without an answer. */
  readonly statuses: ReadonlyArray<number>
  /** The one code that a refusal may have; `null` = any that the contract has for route and status. */
  readonly code: string | null
  /** The text that the message of a refusal must name; `null` = no certain one. */
  readonly names: string | null
  /** The connection ends behind the answer. */
  readonly ends: boolean
}

export const refusedWith = (status: number, code: string | null = null): Expectation => ({
  statuses: [status],
  code,
  names: null,
  ends: false
})
export const unauthenticated = refusedWith(401, "E_UNAUTHENTICATED")
export const badRequest = refusedWith(400, "E_BAD_REQUEST")

/** One thing to say to the service, and what must come of it. */
export interface HttpAsk {
  readonly bytes: Buffer
  readonly expects: Expectation
  /** Where its answer has no body. */
  readonly headOnly: boolean
  /** The client says no more once all is written. */
  readonly halfCloses: boolean
}

export const asking = (draft: HttpDraft, expects: Expectation): HttpAsk => ({
  bytes: bytesOf(draft),
  expects,
  headOnly: draft.method === "HEAD",
  halfCloses: false
})

/** The means that a case is made from. */
export interface CaseParts {
  readonly stage: HttpStage
  readonly chance: Chance
  readonly route: HttpRoute
  /** A request that the service would take, and that would change what it may. */
  readonly right: HttpDraft
  /** The same with an unknown parameter, which is found last: whatever is done to it, nothing changes. */
  readonly doomed: HttpDraft
}

/** One way of asking a route wrongly. */
export interface RouteCase {
  readonly name: string
  /** How often it comes, compared with the others. */
  readonly weight: number
  /** Whether the case applies to a route. */
  fits(route: HttpRoute): boolean
  ask(parts: CaseParts): HttpAsk
}

/** One way of asking that has nothing to do with the routes of the contract. */
export interface PlainCase {
  readonly name: string
  readonly weight: number
  ask(stage: HttpStage, chance: Chance): HttpAsk
}
