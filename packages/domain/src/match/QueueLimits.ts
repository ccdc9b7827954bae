import { SecondMs, MinuteMs, count, range, rate, span } from "@atrium/wire/limits/Limit"

/** Queues, tickets, parties and rating bands of quick match. Spec: Quick-match limits; Skill rating limits. */
export const QueueLimits = {
  queues: count("Queues per project", { max: 32, per: "project", past: "E_BAD_REQUEST" }),
  queueSize: range("Players in a match of a queue", {
    min: 2,
    max: 64,
    per: "queue",
    past: "E_BAD_REQUEST"
  }),
  queueTeams: range("Teams in a match of a queue (D-33)", {
    min: 2,
    max: 16,
    per: "queue",
    past: "E_BAD_REQUEST"
  }),
  teamSize: range("Players in a team (D-33)", {
    min: 1,
    max: 32,
    per: "team",
    past: "E_BAD_REQUEST"
  }),
  partySize: range("Players in a party, and never more than the queue seats", {
    min: 2,
    max: 64,
    per: "party",
    past: "E_BAD_REQUEST"
  }),
  partyCodeLife: span("Life of a party code", {
    ms: 10 * MinuteMs,
    per: "party code",
    past: "E_PARTY_CODE"
  }),
  matchWait: span("Wait of a ticket that asks for none (D-31)", {
    ms: 30 * SecondMs,
    per: "ticket",
    past: "the ticket expires"
  }),
  matchWaitMax: span("Longest wait that a client may ask for (D-31)", {
    ms: 2 * MinuteMs,
    per: "ticket",
    past: "E_BAD_REQUEST"
  }),
  matchPass: span("Time between two passes over the tickets that wait", {
    ms: SecondMs,
    per: "queue, while a ticket waits",
    past: "the next pass comes"
  }),
  matchFillLead: span(
    "Time before the end of a wait in which a team that fills takes its minimum",
    {
      ms: 2 * SecondMs,
      per: "ticket",
      past: "the ticket expires"
    }
  ),
  matchNeighbours: count("Tickets near a ticket that one pass looks at", {
    max: 256,
    per: "ticket and pass",
    past: "those farther away are not looked at"
  }),
  matchLooks: count("Looks at a ticket's neighbour in one pass", {
    max: 250_000,
    per: "queue and pass",
    past: "the tickets that came last wait for the next pass"
  }),
  matchOffers: count("Rooms that one pass may fill", {
    max: 256,
    per: "queue and pass",
    past: "those with the highest ids wait for the next pass"
  }),
  ticketsListed: count("Waiting tickets that a list shows", {
    max: 20,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  ticketsWaiting: count("Tickets that wait in a queue", {
    max: 5000,
    per: "queue",
    past: "E_NOT_READY"
  }),
  ticketKept: span("Time for which the answer of a ticket is kept after its wait", {
    ms: 10 * MinuteMs,
    per: "ticket",
    past: "E_NOT_FOUND"
  }),
  ticketsSwept: count("Tickets or party codes that are removed together", {
    max: 1000,
    per: "sweep",
    past: "the others come after them"
  }),
  seatReserved: span("Time for which the room of a match keeps a player's seat", {
    ms: 15 * SecondMs,
    per: "seat",
    past: "whoever comes takes it"
  }),
  seatAsked: span("Time in which a room answers whether it has seats for a match", {
    ms: SecondMs,
    per: "pass",
    past: "the players wait for the next pass"
  }),
  backfillFresh: span("Age of a room's occupancy by which its seats are offered", {
    ms: 10 * SecondMs,
    per: "room",
    past: "its seats are not offered"
  }),

  backfillCalls: rate("Times that room code changes the seats it offers", {
    burst: 10,
    tokens: 2,
    everyMs: SecondMs,
    per: "room",
    past: "E_CALL_RATE"
  }),

  // Open endpoints (spec: Open endpoint rate limits): a pair of rows for each row of the table.
  matchJoinsByAddress: rate("Tickets asked for from an address", {
    burst: 10,
    tokens: 30,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  matchJoins: rate("Tickets asked for in a project", {
    burst: 120,
    tokens: 600,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  partyMintsByAddress: rate("Party codes minted from an address", {
    burst: 5,
    tokens: 20,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  partyMints: rate("Party codes minted in a project", {
    burst: 60,
    tokens: 300,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  matchReadsByAddress: rate("Reads of tickets and of a queue's depth from an address (D-31)", {
    burst: 30,
    tokens: 300,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  matchReads: rate("Reads of tickets and of a queue's depth in a project (D-31)", {
    burst: 300,
    tokens: 3000,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),

  // Skill rating limits: the rating band.
  bandStart: count("Rating points between two players that may meet at once", {
    max: 100,
    per: "ticket",
    past: "they wait until the band of both is wide enough"
  }),
  bandGrowth: count("Rating points by which the band grows after each step", {
    max: 100,
    per: "ticket and step",
    past: "the band is as wide as it is"
  }),
  bandStep: span("Time after which the rating band grows", {
    ms: 5 * SecondMs,
    per: "ticket",
    past: "the band grows"
  }),
  bandEnds: span("Wait from which on any rating is taken", {
    ms: 60 * SecondMs,
    per: "ticket",
    past: "the band has no bounds"
  })
} as const
