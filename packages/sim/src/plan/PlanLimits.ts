import { count, GiB, MinuteMs, rate, SecondMs, size, span } from "@atrium/wire/limits/Limit"

/**
 * Numbers of the specification that a plan keeps and no other package has yet, and the bounds of a plan
 * itself. Spec: Usage caps; Open endpoint rate limits; Quick-match limits.
 */
export const PlanLimits = {
  roomHoursLag: span("Longest time until the wall of room hours stands after the cap is reached", {
    ms: 95 * SecondMs,
    per: "project",
    past: "new rooms and wakes get E_CAP_REACHED"
  }),
  storageLag: span("Longest time until the wall of stored bytes stands after the cap is reached", {
    ms: 17 * MinuteMs,
    per: "project",
    past: "uploads and saves by call get E_CAP_REACHED"
  }),
  dataOutOvershoot: size("Data out past the cap until sockets close", {
    max: 5 * GiB,
    per: "project",
    past: "sockets close with 4290, and rooms sleep"
  }),
  matchByAddress: rate("POST /match, by address", {
    burst: 10,
    tokens: 30,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  matchByProject: rate("POST /match, by project", {
    burst: 120,
    tokens: 600,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  matchWait: span("Wait in a queue before there is no match", {
    ms: 30 * SecondMs,
    per: "ticket",
    past: "no match"
  }),
  runs: count("Runs of a plan", { max: 200, per: "plan", past: "the command refuses it" })
} as const
