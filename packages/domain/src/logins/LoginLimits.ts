import { SecondMs, MinuteMs, DayMs, count, rate, span } from "@atrium/wire/limits/Limit"

/** Logins of developers. */
export const LoginLimits = {
  // Logins of developers (D-23).
  cliTokenLife: span("Life of a CLI token, from its last use (D-23)", {
    ms: 90 * DayMs,
    per: "token",
    past: "E_UNAUTHENTICATED"
  }),
  sessionLife: span("Life of a browser's session, from its login (D-23)", {
    ms: 30 * DayMs,
    per: "session",
    past: "E_UNAUTHENTICATED"
  }),
  loginUseWrites: span("Time between two writes of when a login was last used", {
    ms: MinuteMs,
    per: "login",
    past: "the use is written"
  }),
  deviceLoginLife: span("Time to allow a device's login (D-23)", {
    ms: 10 * MinuteMs,
    per: "device login",
    past: "E_LOGIN_CODE"
  }),
  devicePoll: span("Time between two questions of a device that waits (D-23)", {
    ms: 5 * SecondMs,
    per: "device login",
    past: "E_RATE_LIMITED"
  }),
  deviceLogins: count("Device logins that are not over yet", {
    max: 10_000,
    per: "service",
    past: "E_RATE_LIMITED"
  }),
  deviceStarts: rate("Device logins that an address starts", {
    burst: 60,
    tokens: 60,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  userCodeTries: rate("User codes that an account reads, allows or denies", {
    burst: 20,
    tokens: 10,
    everyMs: MinuteMs,
    per: "account",
    past: "E_RATE_LIMITED"
  }),
  loginLabelChars: count("Characters of the label of a login", {
    max: 100,
    per: "login",
    past: "E_BAD_REQUEST"
  }),
  accountNameChars: count("Characters of the name of an account, or of who is invited", {
    max: 100,
    per: "account, invitation",
    past: "E_BAD_REQUEST"
  }),
  invitationLife: span("Time to accept an invitation", {
    ms: 7 * DayMs,
    per: "invitation",
    past: "E_INVITATION"
  }),
  invitations: count("Invitations that are not over yet", {
    max: 100,
    per: "account",
    past: "E_INVITATIONS_FULL"
  }),
  logins: count("CLI tokens and sessions", {
    max: 100,
    per: "account",
    past: "the one that was used longest ago ends"
  })
} as const
