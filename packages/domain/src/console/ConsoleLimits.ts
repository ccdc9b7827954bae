import { KiB, MiB, MinuteMs, SecondMs, size, span } from "@atrium/wire/limits/Limit"

/** The console at /console. */
export const ConsoleLimits = {
  consoleMade: span("Time to make the files of the console", {
    ms: 30 * SecondMs,
    per: "service",
    past: "E_NOT_READY"
  }),
  consoleRefused: span(
    "Time after a failure in which the files of the console are not made again",
    {
      ms: MinuteMs,
      per: "service",
      past: "the next request makes them"
    }
  ),
  consoleComparedBytes: size("Save that a page compares with another one", {
    max: 32 * MiB,
    per: "save",
    past: "it can be downloaded"
  }),
  consoleFirstBytes: size("First load of the console, as gzip packs it", {
    max: 80 * KiB,
    per: "version",
    past: "the test of the console's size fails"
  })
} as const
