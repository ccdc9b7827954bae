import { Context } from "effect"

/** What the audit log says of a route's success. */
export interface AuditedAs {
  /** The noun and what was done to it: `room.delete`. */
  readonly action: string
  /** The path part, else the field of the answer, that names what it was done to; `null` = the caller. */
  readonly target: string | null
}

/** The audit of a route; `null` = the route changes nothing, or its caller has no login yet. Source: C-233. */
export const Audited = Context.Reference<AuditedAs | null>("@atrium/domain/audit/Audited", {
  defaultValue: () => null
})

/** Lets every use of a route be written down. */
export const audited = (action: string, target: string | null = null) =>
  Context.make(Audited, { action, target })
