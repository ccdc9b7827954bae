import { SecondMs, MinuteMs, count, range, span } from "@atrium/wire/limits/Limit"

/** Projects and their settings. */
export const ProjectLimits = {
  projectNameChars: count("Characters of a project name", {
    max: 100,
    per: "project",
    past: "E_BAD_REQUEST"
  }),

  // Settings of projects (spec: Project settings; Project limits; Quick-match limits; Leaderboard limits).
  connectionsPerIpPerMin: range("connectionsPerIpPerMin", {
    min: 1,
    max: 100_000,
    per: "project",
    past: "E_BAD_REQUEST"
  }),
  connectionsPerIpPerMinDefault: count("New connections per client address per minute", {
    max: 120,
    per: "address and server",
    past: "E_RATE_LIMITED"
  }),
  origins: count("Origins that a project lists", {
    max: 64,
    per: "project",
    past: "E_BAD_REQUEST"
  }),
  originChars: count("Characters of an origin: the longest host name, its scheme and its port", {
    max: 267,
    per: "origin",
    past: "E_BAD_REQUEST"
  }),
  vmMemMib: range("vmMemMib", { min: 128, max: 4096, per: "project", past: "E_BAD_REQUEST" }),

  joinTermsKept: span("Age up to which cached secrets and origins of a project admit a join", {
    ms: SecondMs,
    per: "project and runner",
    past: "the join asks the store"
  }),
  joinTermsRead: count("Projects whose secrets and origins a runner caches for joins", {
    max: 1000,
    per: "runner",
    past: "a join of the one that was used the longest ago asks the store"
  }),
  purgeLook: span("Time between two looks for projects that were deleted", {
    ms: SecondMs,
    per: "service",
    past: "their rooms close up to this much later"
  }),
  purgesPerLook: count("Deleted projects that one look purges", {
    max: 10,
    per: "look",
    past: "the others come after them"
  }),
  purgeRows: count("Rows of a table that are removed together", {
    max: 1000,
    per: "statement",
    past: "the next statement removes them"
  }),
  purgeObjects: count("Stored objects that are removed together", {
    max: 50,
    per: "statement",
    past: "the next statement removes them"
  }),
  purgeParts: count("Parts of a deleted project that one look removes", {
    max: 50,
    per: "project",
    past: "the next look goes on"
  }),
  purgeSettles: span("Time until nothing of a deleted project can be written any more", {
    ms: 2 * MinuteMs,
    per: "project",
    past: "what is purged by then stays empty"
  })
} as const
