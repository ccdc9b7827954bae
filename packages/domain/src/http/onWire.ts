import { Schema, SchemaGetter } from "effect"

import { RateLimited } from "../shared/Refusal.ts"

/** A refusal class: its code is its tag, and it has a message and an HTTP status as annotation. */
interface RefusalClass<Self extends { readonly message: string }> extends Schema.Codec<
  Self,
  unknown
> {
  readonly identifier: string
  // Method syntax: a class without fields takes fewer arguments, and that is welcome here.
  new (...fields: ReadonlyArray<never>): Self
}

/**
 * The wire form of a refusal: `{"error":{"code":"E_…","message":"…"}}` under the class's own HTTP
 * status. The code is a literal, so that two refusals never collapse into one. Source: D-02.
 */
export const onWire = <Self extends { readonly message: string }>(refusal: RefusalClass<Self>) => {
  const code = refusal.identifier
  const status = refusal.ast.annotations?.["httpApiStatus"]
  if (typeof status !== "number") throw new Error(`${code} has no httpApiStatus`)
  const make = (message: string): Self => Reflect.construct(refusal, [{ message }])
  return wireOf(code)
    .pipe(
      Schema.decodeTo(Schema.toType(refusal), {
        decode: SchemaGetter.transform((wire) => make(wire.error.message)),
        encode: SchemaGetter.transform((error: Self) => ({
          error: { code, message: error.message }
        }))
      })
    )
    .annotate({ httpApiStatus: status })
}

const wires = new Map<string, ReturnType<typeof makeWire>>()

/** One schema for each code, so that the API's description has each once, by its name. */
const wireOf = (code: string) => {
  const wire = wires.get(code) ?? makeWire(code)
  wires.set(code, wire)
  return wire
}

const makeWire = (code: string) =>
  Schema.Struct({
    error: Schema.Struct({ code: Schema.Literal(code), message: Schema.String })
  }).annotate({ identifier: code })

/** A refusal class that says when to come again. */
interface LimitedClass<
  Self extends { readonly message: string; readonly retryAfterMs: number }
> extends Schema.Codec<Self, unknown> {
  readonly identifier: string
  new (fields: { readonly retryAfterMs: number }): Self
}

/**
 * The wire form of a refusal that says when to come again: in its body, and as `retry-after`. Each 429 has
 * it. Source: D-26.
 */
export const limitedOnWire = <
  Self extends { readonly message: string; readonly retryAfterMs: number }
>(
  refusal: LimitedClass<Self>
) => {
  const code = refusal.identifier
  const make = (retryAfterMs: number): Self => new refusal({ retryAfterMs })
  return Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal(code),
      message: Schema.String,
      retryAfterMs: Schema.Int
    })
  })
    .annotate({ identifier: code })
    .pipe(
      Schema.decodeTo(Schema.toType(refusal), {
        decode: SchemaGetter.transform(({ error }) => make(error.retryAfterMs)),
        encode: SchemaGetter.transform((limited: Self) => ({
          error: { code, message: limited.message, retryAfterMs: limited.retryAfterMs }
        }))
      })
    )
    .annotate({ httpApiStatus: 429 })
}

/** The refusal of the open endpoints and of logins. */
export const rateLimitedOnWire = limitedOnWire(RateLimited)
