/** A message, argument or answer of any msgpack value. It is not checked: the receiver must. */
export interface Untyped {
  readonly kind: "untyped"
}

/** Tells it from declared fields, of which one may have the name `kind`. */
export const isUntyped = (payload: unknown): payload is Untyped =>
  typeof payload === "object" &&
  payload !== null &&
  Object.is(Reflect.get(payload, "kind"), "untyped")
