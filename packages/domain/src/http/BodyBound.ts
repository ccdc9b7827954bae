import { Context } from "effect"

import { HttpLimits } from "./HttpLimits.ts"

/** How large the body of a route may be. */
export interface BodyBound {
  readonly bytes: number
  /** Commas of a body that is JSON, which bound its values. */
  readonly commas: number
  /** How the refusal calls the body; a bundle has a code of its own. */
  readonly noun: "body" | "bundle"
}

/** The bound of a route that names none. Source: D-02. */
export const usualBody: BodyBound = {
  bytes: HttpLimits.bodyBytes.max,
  commas: HttpLimits.bodyCommas.max,
  noun: "body"
}

/** The bound of the body of a route. */
export const RouteBody = Context.Reference<BodyBound>("@atrium/domain/http/RouteBody", {
  defaultValue: () => usualBody
})
