import { badRequest } from "../Literals.ts"
import { takesNames } from "../resources/Declaring.ts"
import { rowOf, section, tierA, tierC } from "../Section.ts"
import { atMost, secondMs, minuteMs } from "../Units.ts"
import {
  backfillFresh,
  codeLifetime,
  expiryKeeps,
  oneTicket,
  partySize,
  waitDefault,
  waitMax
} from "./MatchProbes.ts"

const partyLifeMs = (): number => {
  const { forMs } = rowOf("keep", "match.party.code-lifetime")
  return Number(forMs)
}

/** Lines 478 to 486 of the specification: Quick-match limits. */
export const quickMatchSection = section("Limits / Quick-match limits", {
  "match.party.queue-range": tierA(478, "a queue may declare party size 2 to 64", {
    probe: ["cli", "http"],
    decisions: ["D-33", "T-17"],
    boundary: { ...atMost(64, "count"), least: 2, outcome: badRequest },
    provedBy: "queues.size.min"
  }),
  "match.queues.max": tierA(479, "32 queues", { features: ["match"], sameAs: "queues.max-32" }),
  "match.queue-name.length": tierA(480, "queue name 1-32", {
    probe: ["cli", "http"],
    boundary: { ...atMost(32, "chars"), least: 1, outcome: badRequest },
    check: takesNames("queues", "match.queue-name.charset")
  }),
  "match.queue-name.charset": tierA(480, "a-z 0-9 . _ -", {
    probe: ["cli", "http"],
    text: {
      pattern: "^[a-z0-9._-]*$",
      good: ["main", "a.b_c-9"],
      bad: ["Main", "a b", "a/b", "ä", "a:b", "a\n"],
      outcome: badRequest
    },
    provedBy: "match.queue-name.length"
  }),
  "match.wait.default": tierC(481, "30 seconds before no match", {
    hooks: ["clock"],
    features: ["match"],
    decisions: ["D-31"],
    is: { waitMs: 30 * secondMs },
    check: () => waitDefault(Number(rowOf("statement", "match.wait.default").is?.["waitMs"]))
  }),
  "match.wait.max": tierC(482, "a client may ask for at most 2 minutes", {
    hooks: ["clock"],
    features: ["match"],
    decisions: ["D-31", "T-82"],
    boundary: { ...atMost(2 * minuteMs, "ms"), outcome: badRequest },
    check: () => {
      const { accept, refuse } = rowOf("boundary", "match.wait.max")
      return waitMax(accept, refuse)
    }
  }),
  "match.ticket.one-per-queue": tierA(
    483,
    "one live ticket per identity per queue; queueing again retires the earlier",
    {
      features: ["match"],
      decisions: ["D-31"],
      move: {
        subject: "match",
        from: "waiting",
        trigger: "the same identity queues again",
        to: "retired"
      },
      is: { live: 1 },
      check: oneTicket
    }
  ),
  "match.party.size": tierA(484, "party 2 to 64, never more than the queue seats", {
    features: ["match"],
    decisions: ["D-31"],
    boundary: { ...atMost(64, "count"), least: 2, outcome: badRequest },
    check: () => partySize(rowOf("boundary", "match.party.size"))
  }),
  "match.party.code-lifetime": tierC(485, "party code lives 10 minutes", {
    hooks: ["clock"],
    features: ["match"],
    keep: { datum: "a party code", forMs: 10 * minuteMs, becomes: "gone" },
    check: () => codeLifetime(partyLifeMs())
  }),
  "match.party.expiry-keeps-queued": tierC(485, "expiry does not remove members already queued", {
    hooks: ["clock"],
    features: ["match"],
    check: () => expiryKeeps(partyLifeMs())
  }),
  "match.backfill.freshness": tierC(
    486,
    "occupancy older than 10 seconds is not offered for backfill",
    {
      hooks: ["clock", "fixture"],
      features: ["match"],
      decisions: ["D-31"],
      boundary: { ...atMost(10 * secondMs, "ms"), outcome: {} },
      check: () => backfillFresh(rowOf("boundary", "match.backfill.freshness").accept)
    }
  )
})
