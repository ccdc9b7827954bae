import { MinuteMs, span } from "@atrium/wire/limits/Limit"

/** The npm packages that the service hands out. */
export const TarballLimits = {
  packagesMade: span("Time to make the packages that the service hands out", {
    ms: 3 * MinuteMs,
    per: "service",
    past: "E_NOT_READY"
  }),
  packagesRefused: span("Time after a failure in which the packages are not made again", {
    ms: MinuteMs,
    per: "service",
    past: "the next request makes them"
  })
} as const
