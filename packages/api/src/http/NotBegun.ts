const refusals = new WeakSet<object>()

/** Marks a refusal that was given before anything was done, which its code alone does not tell. */
export const notBegun = <A extends object>(refusal: A): A => {
  refusals.add(refusal)
  return refusal
}

/** Whether the refusal was marked by {@link notBegun}. */
export const hasNotBegun = (refusal: unknown): boolean =>
  typeof refusal === "object" && refusal !== null && refusals.has(refusal)
