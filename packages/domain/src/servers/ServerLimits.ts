import { MiB, SecondMs, count, size, span } from "@atrium/wire/limits/Limit"

/** Servers of projects and the memory of a machine. */
export const ServerLimits = {
  serverBudget: count("Slots of a server, in 120ths (D-46)", {
    max: 120,
    per: "server",
    past: "E_TENANT_WAKING"
  }),
  roomsAwakeFree: count("Rooms awake at once, free plan", {
    max: 10,
    per: "server",
    past: "E_TENANT_WAKING"
  }),
  serversPerProject: count("Servers that one project may fill", {
    max: 1000,
    per: "project",
    past: "E_TENANT_WAKING"
  }),

  // Memory of a server (spec: Room budget per server). It is calm again below a lower mark than the
  // one from which on it is near its limit, or it would take and refuse rooms in turn.
  memoryNear: count(
    "Percent of the memory for its rooms from which on a server is near its limit",
    {
      max: 90,
      per: "server",
      past: "empty rooms sleep early, new rooms get E_TENANT_WAKING"
    }
  ),
  memoryCalm: count("Percent of it at which a server is calm again", {
    max: 85,
    per: "server",
    past: "it goes on refusing new rooms"
  }),
  machineNear: size("Memory that the machine must have left, on a large one", {
    max: 256 * MiB,
    per: "runner",
    past: "with less, all its servers are near their limit"
  }),
  machineNearPercent: count("Percent of the machine's memory that it must have left, at most", {
    max: 5,
    per: "runner",
    past: "with less, all its servers are near their limit"
  }),
  machineCalm: count("Percent of what must be left that make its servers calm again", {
    max: 150,
    per: "runner",
    past: "they go on refusing new rooms"
  }),
  memoryLook: span("Time between two looks at the memory of rooms", {
    ms: SecondMs / 2,
    per: "runner",
    past: "a server notices up to this much later"
  }),
  memoryShrink: span("Time that the footage of its rooms has to give memory back", {
    ms: SecondMs,
    per: "server",
    past: "the server is near its limit and takes no new rooms"
  }),
  // Three restarts within a minute close a room: with this, and what a report may take, two are the most.
  memoryRestartEvery: span("Time between two restarts of a server's largest room", {
    ms: 50 * SecondMs,
    per: "server",
    past: "the next one waits, so that memory can fall"
  }),
  memoryRestartBytes: size("Memory of the smallest room that is restarted to have some back", {
    max: 16 * MiB,
    per: "server",
    past: "a room with less stays: what another has taken does not come back by it"
  }),
  startsKnown: count("Rooms whose last start a server remembers, beside those that it holds", {
    max: 1000,
    per: "server",
    past: "an order for the room that started the longest ago, which is that late, is carried out again"
  }),
  serversKnown: count("Servers whose settings are remembered while they hold no room", {
    max: 10_000,
    per: "runner",
    past: "the one that started the longest ago has the defaults"
  }),
  serversLooked: count("Servers with room that a placing looks at, the lowest first", {
    max: 32,
    per: "placing",
    past: "a further server starts"
  }),
  serversAsked: count("Servers that one start of a room asks for a place, among several runners", {
    max: 32,
    per: "start of a room",
    past: "E_TENANT_WAKING"
  }),
  placingTries: count("Tries to start a server while other runners start servers of the project", {
    max: 16,
    per: "placing",
    past: "E_TENANT_WAKING"
  }),
  serverEmpty: span("Time for which a server without rooms stays with its runner", {
    ms: 30 * SecondMs,
    per: "server",
    past: "its next room starts it on the runner with the least load"
  }),
  fillReport: span("Time between two reports of a runner on how full its servers are", {
    ms: SecondMs / 2,
    per: "runner",
    past: "another runner asks a full server in vain"
  })
} as const
