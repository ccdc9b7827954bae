import { SecondMs, span } from "@atrium/wire/limits/Limit"

/** The runners of the service. */
export const FleetLimits = {
  runnerReport: span("Time between two reports of a runner to the fleet", {
    ms: 2 * SecondMs,
    per: "runner",
    past: "an order such as drain takes effect up to this much later"
  }),
  runnerSilent: span("Silence after which a runner counts as gone", {
    ms: 10 * SecondMs,
    per: "runner",
    past: "the fleet shows it as gone"
  }),
  runnerKept: span("Time for which a runner that is gone is listed", {
    ms: 3600 * SecondMs,
    per: "runner",
    past: "the fleet no longer lists it"
  }),
  homeSilent: span("Silence of a runner after which its servers may start elsewhere", {
    ms: 10 * SecondMs,
    per: "runner",
    past: "its servers are without a place"
  }),
  homeOpened: span("Time after its last sign of life for which an ended runner keeps its servers", {
    ms: SecondMs / 2,
    per: "runner",
    past: "its servers may start elsewhere"
  }),
  homeQuiet: span("Silence of a runner after which no server starts there", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "servers start on other runners"
  }),
  homeAgain: span("Time for which a runner whose servers were given up takes none", {
    ms: 10 * SecondMs,
    per: "runner",
    past: "servers may start there"
  }),
  homeLook: span("Time between two looks at whether the runner of a called server has ended", {
    ms: SecondMs / 4,
    per: "call to a server",
    past: "the caller hears of the end up to this much later"
  }),
  roomSent: span("Time for which a room that is sent to a runner is expected there", {
    ms: 60 * SecondMs,
    per: "room",
    past: "it starts where any room does"
  })
} as const
