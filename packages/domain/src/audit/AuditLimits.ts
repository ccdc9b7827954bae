import { DayMs, count, span } from "@atrium/wire/limits/Limit"

/** The audit log. */
export const AuditLimits = {
  auditKept: span("Rows of the audit log", {
    ms: 90 * DayMs,
    per: "row",
    past: "the next sweep removes it"
  }),
  auditRows: count("Rows of the audit log that a request may ask for", {
    max: 1000,
    per: "request",
    past: "400"
  }),
  auditRowsDefault: count("Rows of the audit log for a request that says no number", {
    max: 100,
    per: "request",
    past: "the newest are shown"
  }),
  auditSweepBatch: count("Rows of the audit log that are removed at once", {
    max: 1000,
    per: "sweep",
    past: "the others come after them"
  })
} as const
