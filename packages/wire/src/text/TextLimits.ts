import { count, size } from "../limits/Limit.ts"

/** Texts that the service writes. */
export const TextLimits = {
  messageBytes: size("Message of the service's own errors", {
    max: 96,
    per: "error",
    past: "cut, ending in …"
  }),
  logLineUnits: count("Log line, UTF-16 units", {
    max: 8192,
    per: "line",
    past: "the rest is cut"
  })
} as const
