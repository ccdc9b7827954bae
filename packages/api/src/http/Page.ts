import type { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"

/** A route outside of the contract. It answers GET. */
export interface Page<Needs> {
  readonly path: `/${string}`
  readonly layer: Layer.Layer<never, never, Needs>
}

/** The page at a path that the answer is served at. */
export const page = <E = never, R = never>(
  path: `/${string}`,
  answer:
    | Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    | HttpServerResponse.HttpServerResponse
) => ({ path, layer: HttpRouter.add("GET", path, answer) })
