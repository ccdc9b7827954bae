import { HourMs, MinuteMs, SecondMs, count, span } from "@atrium/wire/limits/Limit"

/** Mails to developers. */
export const MailLimits = {
  mailLook: span("Time between two looks for mails that are due", {
    ms: 15 * SecondMs,
    per: "service",
    past: "a mail waits up to this much longer"
  }),
  mailBatch: count("Mails that a look sends", {
    max: 100,
    per: "look",
    past: "the others wait for the next look"
  }),
  mailSend: span("Time that the mail server has to take a mail", {
    ms: 30 * SecondMs,
    per: "mail",
    past: "the mail is not sent again, as the server may have taken it"
  }),
  mailRetry: span("Time until a mail that the mail server did not take is tried again", {
    ms: 5 * MinuteMs,
    per: "mail",
    past: "it is tried again"
  }),
  mailTries: span("Time for which a mail is tried", {
    ms: 24 * HourMs,
    per: "mail",
    past: "it is given up; the log says so"
  }),
  mailAddressChars: count("Characters of a mail address", {
    max: 254,
    per: "account",
    past: "400"
  })
} as const
