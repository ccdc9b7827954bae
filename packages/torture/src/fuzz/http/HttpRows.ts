import type { Chance } from "@atrium/api/testing/Chance"

import { bodyCases } from "./BodyCases.ts"
import { credentialCases } from "./CredentialCases.ts"
import { headCases } from "./HeadCases.ts"
import type { CaseParts, PlainCase, RouteCase } from "./HttpCase.ts"
import { type HttpRoute, routesOf } from "./HttpRoute.ts"
import type { HttpStage } from "./HttpStage.ts"
import { contentCases, lengthCases, typeCases } from "./LengthCases.ts"
import { pathCases } from "./PathCases.ts"
import { plainCases } from "./PlainCases.ts"
import { queryCases } from "./QueryCases.ts"
import { doomedRequest, rightRequest } from "./RightRequest.ts"
import { type WireCase, wireCases } from "./WireCases.ts"

/** The case that one number of a run stands for. */
export type HttpRow =
  | {
      readonly kind: "route"
      readonly name: string
      readonly route: HttpRoute
      readonly case: RouteCase
    }
  | { readonly kind: "plain"; readonly name: string; readonly case: PlainCase }
  | { readonly kind: "wire"; readonly name: string; readonly case: WireCase }

const routeCases: ReadonlyArray<RouteCase> = [
  ...credentialCases,
  ...pathCases,
  ...queryCases,
  ...bodyCases,
  ...lengthCases,
  ...typeCases,
  ...contentCases,
  ...headCases
]

/** One request in so many has nothing to do with the routes. */
const BesideRoutes = 6

const weighted = <Row extends HttpRow>(rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.flatMap((row) => Array.from({ length: row.case.weight }, () => row))

/**
 * All that can be asked wrongly: first everything once, each case of each route, then by chance, the
 * routes in turn.
 */
export class HttpRows {
  readonly routes: ReadonlyArray<HttpRoute>
  readonly #stage: HttpStage
  readonly #first: ReadonlyArray<HttpRow>
  readonly #ofRoutes: ReadonlyArray<ReadonlyArray<HttpRow>>
  readonly #beside: ReadonlyArray<HttpRow>

  constructor(stage: HttpStage) {
    this.#stage = stage
    this.routes = routesOf(stage.openApi)
    const rows = this.routes.map((route) =>
      routeCases
        .filter((each) => each.fits(route))
        .map(
          (each) =>
            ({ kind: "route", name: `${route.name}, ${each.name}`, route, case: each }) as const
        )
    )
    const beside = [
      ...plainCases.map((each) => ({ kind: "plain", name: each.name, case: each }) as const),
      ...wireCases.map((each) => ({ kind: "wire", name: each.name, case: each }) as const)
    ]
    this.#first = [...rows.flat(), ...beside]
    this.#ofRoutes = rows.map(weighted)
    this.#beside = weighted<HttpRow>(beside)
  }

  /** Numbers below this are everything once. */
  get once(): number {
    return this.#first.length
  }

  at(index: number, chance: Chance): HttpRow {
    const first = this.#first[index]
    if (first !== undefined) return first
    const ofRoute = this.#ofRoutes[index % this.#ofRoutes.length] ?? this.#beside
    return chance.pick(chance.one(BesideRoutes) ? this.#beside : ofRoute)
  }

  partsOf(route: HttpRoute, chance: Chance): CaseParts {
    const right = rightRequest(route, this.#stage, chance)
    return { stage: this.#stage, chance, route, right, doomed: doomedRequest(right) }
  }
}
