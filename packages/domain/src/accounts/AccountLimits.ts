import { HourMs, MinuteMs, count, rate, span } from "@atrium/wire/limits/Limit"

/** Accounts of players. */
export const AccountLimits = {
  devices: count("Device credentials per account", {
    max: 10,
    per: "account",
    past: "E_DEVICE_LIMIT"
  }),
  projectDevices: count("Devices of all accounts of a project (C-643)", {
    max: 1_000_000,
    per: "project",
    past: "E_DEVICE_LIMIT"
  }),
  deviceLabelChars: count("Characters of the label of a device", {
    max: 64,
    per: "device",
    past: "E_BAD_REQUEST"
  }),
  linkCodeLife: span("Link code lifetime", {
    ms: 10 * MinuteMs,
    per: "link code",
    past: "E_LINK_CODE"
  }),
  endedKept: span("Time for which an identity that ended is remembered", {
    // Longer than an identity token lives, with the leeway for clocks.
    ms: 25 * HourMs,
    per: "identity",
    past: "no token of it is valid any more"
  }),
  identitiesRead: count("Identities that are looked up in one query", {
    max: 500,
    per: "query",
    past: "the next ones are looked up after it"
  }),
  exportRows: count("Rows of one kind in a page of a player's export", {
    max: 500,
    per: "page",
    past: "the rest is on the next page"
  }),

  // Open endpoints (spec: Open endpoint rate limits): a pair of rows for each row of the table.
  linkCodesByAddress: rate("Link codes minted from an address", {
    burst: 3,
    tokens: 6,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  linkCodes: rate("Link codes minted for a project", {
    burst: 60,
    tokens: 300,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  linksByAddress: rate("Link codes guessed from an address", {
    burst: 5,
    tokens: 10,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  links: rate("Link codes guessed for a project", {
    burst: 60,
    tokens: 300,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  accountCallsByAddress: rate("Calls about accounts and devices from an address", {
    burst: 10,
    tokens: 30,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  accountCalls: rate("Calls about accounts and devices for a project", {
    burst: 120,
    tokens: 600,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  })
} as const
