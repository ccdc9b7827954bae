import { same } from "../../check/Expect.ts"
import { bucketChecks, burstCheck } from "../../families/Bucket.ts"
import { prefixCheck, drawOrderCheck } from "../../families/Draw.ts"
import { isTaken } from "../../families/Outcome.ts"
import { freshPrefixes, freshAddress, headersFrom } from "../../trial/Addresses.ts"
import { assertionsOf, openStage } from "../../trial/OpenStage.ts"
import { queueAndBoardFor } from "../endpoints/QueueAndBoardProbes.ts"
import type { Bucket } from "../Row.ts"
import { section, tierC, tierA, rowOf } from "../Section.ts"
import { spent, addressBench, projectBench, decision } from "./OpenAllowances.ts"

/** Lines 445 to 447 of the specification: Open endpoint rate limits, what holds of all of them. */
export const openRateRulesSection = section("Limits / Open endpoint rate limits", {
  "rate.open.ipv6-64": tierC(445, "addresses count by /64 for IPv6", {
    hooks: ["address"],
    features: ["openRates"],
    is: { prefixBits: 64 },
    check: {
      title: "addresses of one /64 share an allowance; the next /64 and IPv4 have their own",
      needs: ["clock"],
      alone: true,
      timeoutMs: 60_000,
      run: async (trial) => {
        const stage = await openStage(trial, "identity.mint")
        const [prefix, otherPrefix] = freshPrefixes()
        const plain = [freshAddress(), freshAddress()] as const
        const ask = async (from: string) => spent(trial, await stage.call("identity.mint", from))
        await prefixCheck(trial, identities.address(), { ask, prefix, otherPrefix, plain })
      }
    }
  }),
  "rate.open.address-first": tierC(445, "the address allowance is drawn first", {
    hooks: ["address"],
    features: ["openRates"],
    check: [
      {
        title: "who has no allowance left at an address spends nothing of the project's",
        needs: ["clock"],
        alone: true,
        timeoutMs: 60_000,
        run: async (trial) => {
          const stage = await openStage(trial, "identity.mint")
          const ask = async (from: string) => spent(trial, await stage.call("identity.mint", from))
          const rows = { address: identities.address(), project: identities.project() }
          await drawOrderCheck(trial, rows, { address: freshAddress, ask })
        }
      },
      {
        title: "who has no allowance left at an address spends nothing of a room's either",
        needs: ["clock", "audience", "relay", "fixture"],
        alone: true,
        timeoutMs: 60_000,
        run: async (trial) => {
          const stage = await openStage(trial, "audience.mint")
          const ask = async (from: string) => spent(trial, await stage.call("audience.mint", from))
          const rows = {
            address: rowOf("bucket", "rate.audience.mint.address.burst"),
            project: rowOf("bucket", "rate.audience.mint.room.burst")
          }
          await drawOrderCheck(trial, rows, { address: freshAddress, ask })
        }
      }
    ]
  }),
  "rate.open.project-only-existing": tierC(
    445,
    "the project allowance is spent only by requests about an existing project",
    {
      hooks: ["address"],
      features: ["openRates"],
      check: {
        title: "a project that does not exist has no allowance to spend",
        timeoutMs: 60_000,
        run: async (trial) => {
          const stage = await openStage(trial, "identity.mint")
          const nowhere = { project: "p_0000000000000000" }
          await fromEverywhere(identities.project().burst + 1, async (from) => {
            const answer = await stage.call("identity.mint", from, nowhere)
            same("the answer about it", answer.status, 404)
          })
          const answer = await stage.call("identity.mint", freshAddress())
          isTaken("a project that exists", spent(trial, answer))
        }
      }
    }
  ),
  "rate.open.assertion-valid-only": tierC(
    445,
    "on identity exchange the project allowance is spent only by a valid identity",
    {
      hooks: ["address"],
      features: ["assertions", "openRates"],
      check: {
        title: "an assertion that is not valid spends nothing of the project's",
        timeoutMs: 60_000,
        run: async (trial) => {
          const stage = await openStage(trial, "identity.assertion")
          const ofAddress = rowOf("bucket", "rate.identity.assertion.address.burst")
          const ofProject = rowOf("bucket", "rate.identity.assertion.project.burst")
          const ask = async (from: string): Promise<void> => {
            const answer = await stage.call("identity.assertion", from, {
              assertion: "not.a.token"
            })
            same("what is not valid", answer.status, 401)
          }
          await fromEverywhere(ofProject.burst + 1, ask, ofAddress)
          const answer = await stage.call("identity.assertion", freshAddress())
          isTaken("a valid one", spent(trial, answer))
        }
      }
    }
  ),
  "rate.open.link-every-guess": tierA(445, "link-code redemption counts every guess", {
    features: ["accounts", "openRates"],
    check: {
      title: "a wrong link code spends as a right one does",
      alone: true,
      timeoutMs: 60_000,
      run: async (trial) => {
        const bench = await addressBench(trial, "account.link")
        const row = rowOf("bucket", "rate.account.link.address.burst")
        if (bench.single === true) await bucketChecks(trial, row, bench)
        else await burstCheck(trial, row, bench)
      }
    }
  }),
  "rate.open.project-isolation": tierC(445, "one project exhausted leaves another untouched", {
    level: "decided",
    hooks: ["address"],
    features: ["openRates"],
    decisions: ["D-26"],
    check: {
      title: "a project that has spent its allowance leaves others theirs",
      timeoutMs: 60_000,
      run: async (trial) => {
        const bench = projectBench(trial, {
          endpoint: "identity.mint",
          address: identities.address()
        })
        const exhausted = await bench.fresh()
        await burstCheck(trial, identities.project(), { ...bench, fresh: async () => exhausted })
        const other = await bench.fresh()
        // A shared allowance comes back while one asks: it has one or two by now, not so many.
        const asked = await Promise.all(Array.from({ length: 30 }, () => bench.ask(other)))
        for (const answer of asked) isTaken("another project", answer)
      }
    }
  }),
  "rate.open.endpoint-isolation": tierA(447, "each table row is its own allowance", {
    features: ["openRates"],
    decisions: ["D-26", "T-49"],
    check: [
      {
        title: "each endpoint has an allowance of its own",
        alone: true,
        timeoutMs: 60_000,
        run: async (trial) =>
          bucketChecks(trial, identities.address(), await addressBench(trial, "identity.mint")),
        needs: ["clock"]
      },
      {
        needs: ["address", "audience", "relay", "fixture"],
        timeoutMs: 60_000,
        title: "an address that has spent its identities still gets audience credentials",
        run: async (trial) => {
          const stage = await openStage(trial, "audience.mint")
          const from = freshAddress()
          const ask = async () => spent(trial, await stage.call("identity.mint", from))
          await burstCheck(trial, identities.address(), { fresh: async () => from, ask, decision })
          isTaken("an audience credential", spent(trial, await stage.call("audience.mint", from)))
        }
      },
      {
        needs: ["address", "accounts", "assertions", "presence"],
        timeoutMs: 60_000,
        title: "an address that has spent its identities still asks for accounts and friends",
        run: async (trial) => {
          const stage = await openStage(trial, "account.manage")
          const from = freshAddress()
          const ask = async () => spent(trial, await stage.call("identity.mint", from))
          await burstCheck(trial, identities.address(), { fresh: async () => from, ask, decision })
          const assertion = (await assertionsOf(trial, stage.project))("ann")
          for (const endpoint of others) {
            isTaken(endpoint, spent(trial, await stage.call(endpoint, from, { assertion })))
          }
        }
      },
      {
        needs: ["address", "match", "boards", "fixture"],
        timeoutMs: 60_000,
        title: "an address that has spent its identities still queues and reads a board",
        run: async (trial) => {
          const stage = await openStage(trial, "identity.mint")
          const from = freshAddress()
          const ask = async () => spent(trial, await stage.call("identity.mint", from))
          await burstCheck(trial, identities.address(), { fresh: async () => from, ask, decision })
          for (const answer of await queueAndBoardFor(trial, headersFrom(trial, from))) {
            isTaken(answer.request.path, spent(trial, answer))
          }
        }
      },
      {
        needs: ["address", "presence"],
        timeoutMs: 60_000,
        title: "an address that has spent its watches of presence still reads it",
        run: async (trial) => {
          const stage = await openStage(trial, "presence.watch")
          const row = rowOf("bucket", "rate.presence.watch.address.burst")
          const from = freshAddress()
          const ask = async () => spent(trial, await stage.call("presence.watch", from))
          await burstCheck(trial, row, { fresh: async () => from, ask, decision })
          isTaken("a read", spent(trial, await stage.call("presence.read", from)))
        }
      }
    ]
  })
})

const others = [
  "identity.assertion",
  "account.linkCode",
  "account.link",
  "account.manage",
  "presence.read",
  "presence.watch"
] as const

const identities = {
  address: () => rowOf("bucket", "rate.identity.mint.address.burst"),
  project: () => rowOf("bucket", "rate.identity.mint.project.burst")
}

/** Asks so often, from ever new addresses. */
const fromEverywhere = async (
  times: number,
  ask: (from: string) => Promise<unknown>,
  { burst }: Bucket = identities.address()
): Promise<void> => {
  let from = freshAddress()
  for (let n = 0; n < times; n++) {
    if (n % burst === burst - 1) from = freshAddress()
    await ask(from)
  }
}
