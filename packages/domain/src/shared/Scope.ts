/** What an API key may do. Spec: Authentication rule 2. */
export const Scopes = ["rooms:read", "rooms:write"] as const
export type Scope = (typeof Scopes)[number]

/** Whether the held scopes include the needed one: `rooms:write` includes `rooms:read`. */
export const reaches = (held: ReadonlyArray<Scope>, needed: Scope): boolean =>
  held.includes(needed) || (needed === "rooms:read" && held.includes("rooms:write"))
