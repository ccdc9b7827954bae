import { MinuteMs, SecondMs, count, range, rate, span } from "@atrium/wire/limits/Limit"

/** Where players are. Reads and watches have allowances of their own. Source: D-32, T-49. */
export const PresenceLimits = {
  presenceReadsByAddress: rate("Reads of presence from an address", {
    burst: 30,
    tokens: 120,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  presenceReads: rate("Reads of a project's presence", {
    burst: 300,
    tokens: 3000,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  presenceWatchesByAddress: rate("Watches of presence from an address", {
    burst: 5,
    tokens: 20,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  presenceWatches: rate("Watches of a project's presence", {
    burst: 120,
    tokens: 600,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  presencePlayers: count("Players in one question for presence (D-32)", {
    max: 100,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  presenceWaitS: range("Seconds that a watch of presence may wait (D-32)", {
    min: 1,
    max: 30,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  presenceWaiting: count("Watches of presence that wait at once", {
    max: 20_000,
    per: "runner",
    past: "a watch is answered at once, unchanged"
  }),
  presenceTogether: span("Time in which changes of presence are put together", {
    ms: 25,
    per: "runner",
    past: "watches and other runners are told"
  }),
  presencePart: count("Players in one message of a runner to another about presence", {
    max: 1000,
    per: "message",
    past: "the next message has more"
  }),
  presencePing: span("Time without a change after which a runner tells another that it is there", {
    ms: 10 * SecondMs,
    per: "shard of presence",
    past: "an empty message"
  }),
  presenceLook: span("Time between two looks for other runners whose presence is not known yet", {
    ms: SecondMs / 4,
    per: "runner",
    past: "they are asked"
  }),
  presenceSilence: span("Time without a link after which the players of another runner are gone", {
    ms: SecondMs / 2,
    per: "runner",
    past: "its players are in no room"
  }),
  presenceAgain: span("Time after which a runner that did not tell its players is asked again", {
    ms: SecondMs,
    per: "runner",
    past: "it is asked"
  }),
  presenceFirst: span("Time for other runners to tell where their players are at first", {
    ms: SecondMs,
    per: "shard of presence",
    past: "the answer goes without them"
  }),
  presenceUnread: span("Time for which a runner hears of players for whom nobody asks", {
    ms: MinuteMs,
    per: "shard of presence",
    past: "it is told no more of them"
  })
} as const
