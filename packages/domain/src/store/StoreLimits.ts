import { SecondMs, count, range, size, span } from "@atrium/wire/limits/Limit"

/** The database. */
export const StoreLimits = {
  storeProbe: span("Time between two looks at whether the store takes writes", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "a full disk is told up to this much late"
  }),
  storeAnswer: span("Answer of the store to somebody who waits at the door", {
    ms: 5 * SecondMs,
    per: "join, or look at the store",
    past: "E_TENANT_WAKING"
  }),
  readyAnswer: span("Answer of the store and the cluster to GET /ready", {
    ms: 2 * SecondMs,
    per: "request",
    past: "E_NOT_READY"
  }),
  storeLook: span("Time between two looks at whether the store answers", {
    ms: SecondMs,
    per: "service",
    past: "an outage is told up to this much late"
  }),
  tablesLook: span("Time between two looks at whether a newer program has changed the tables", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "a program that is too old runs on for up to this much longer"
  }),
  storePauseFirst: span("First pause of a service whose store comes and goes, doubled by each", {
    ms: 200,
    per: "service",
    past: "the store is asked again"
  }),
  storePause: span("Longest pause of a service whose store comes and goes", {
    ms: 5 * SecondMs,
    per: "service",
    past: "the store is asked again"
  }),
  storeSteady: span(
    "Time after which a store that answers does not count as one that comes and goes",
    {
      ms: 10 * SecondMs,
      per: "service",
      past: "the next outage is asked about without a pause"
    }
  ),
  storeLock: span("Time for the database to notice that the service before has ended", {
    ms: 3 * SecondMs,
    per: "service",
    past: "the start is refused"
  }),
  storeConnections: range("Connections of a runner to the database, which an operator chooses", {
    min: 5,
    max: 1000,
    per: "runner",
    past: "the start is refused"
  }),
  storeConnectionsDefault: count("Connections of a runner to the database", {
    max: 20,
    per: "runner",
    past: "statements wait for one"
  }),
  locksAsked: span("Time for which one refresh asks the database for the locks of shards", {
    ms: 1_600,
    per: "refresh, every 2 seconds",
    past: "the locks count as held until their lease is over"
  }),
  locksAgain: span("Time between two questions for the locks of shards", {
    ms: 100,
    per: "refresh",
    past: "the database is asked again"
  }),
  runnerEnd: span("Time for which a runner is not connected to the database and gives no sign", {
    ms: 2 * SecondMs,
    per: "runner",
    past: "other runners take its shards"
  }),
  runnerRefusal: span("Time for the address of a runner that is not connected to refuse", {
    ms: 300,
    per: "look",
    past: "the runner counts as out of reach, and runnerEnd as its end"
  }),
  runnersLook: span("Time for which a runner knows which other runners live", {
    ms: SecondMs / 2,
    per: "runner",
    past: "the database is asked again, when somebody wants to know"
  }),
  postgresRestarts: count("Ends of the embedded PostgreSQL within restartsWindow", {
    max: 5,
    per: "service",
    past: "the service ends"
  }),
  objectKeyBytes: size("Key of a stored object", { max: 512, per: "object", past: "defect" })
} as const
