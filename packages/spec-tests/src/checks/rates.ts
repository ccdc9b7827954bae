import type { Check, ProbeOf } from "../check/Check.ts"
import { holds, same, Unsupported } from "../check/Expect.ts"
import type { OpenEndpoint } from "../codec/OpenCalls.ts"
import { type BucketBench, bucketChecks, burstCheck } from "../families/Bucket.ts"
import { drawOrderCheck, prefixCheck } from "../families/Draw.ts"
import { isTaken, type Outcome, outcomeOf, taken } from "../families/Outcome.ts"
import type { Bucket } from "../tables/Row.ts"
import { rowOf } from "../tables/Tables.ts"
import { freshAddress, freshPrefixes } from "../trial/Addresses.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import { type OpenStage, openStage } from "../trial/OpenStage.ts"
import type { Trial } from "../trial/Trial.ts"

const endpoints: ReadonlyArray<OpenEndpoint> = [
  ...(["match.join", "match.party", "match.status"] as const),
  ...(["identity.mint", "identity.assertion", "leaderboard.read"] as const),
  ...(["account.linkCode", "account.link", "account.manage"] as const),
  ...(["presence.read", "presence.watch", "audience.mint"] as const)
]
const limitedStatus = 429
const decision = "D-26"
/** Requests that are under way together. */
const atOnce = 6
/** A drain of the largest allowance, some times over. */
const timeoutMs = 60_000

/** Taken is whatever is not a rate limit: a wrong link code spends as well as a right one. */
const spent = (trial: Trial, answer: HttpAnswer): Outcome => {
  holds(`${answer.request.path}: the service answers`, answer.status < 500, answer.status)
  if (answer.status !== limitedStatus) return taken
  trial.chosen("D-26", () => {
    const { retryAfterMs } = Object(Object(answer.json)["error"])
    const seconds = String(Math.ceil(Number(retryAfterMs) / 1000))
    same("retry-after is error.retryAfterMs, rounded up", answer.headers["retry-after"], seconds)
  })
  return outcomeOf(trial, answer)
}

/** From addresses that nobody has, or, where only time can move, from the one that there is. */
const addressBench = async (
  trial: Trial,
  endpoint: OpenEndpoint
): Promise<BucketBench<string | null>> => {
  const stage = await openStage(trial, endpoint)
  const isOurs = trial.config.addressHeader === undefined
  if (isOurs && !trial.control.has("clock")) throw new Unsupported("no hook: address or clock")
  const elsewhere = async (from: string | null): Promise<Outcome> =>
    endpoint === "leaderboard.read"
      ? spent(trial, await stage.call("identity.mint", from))
      : spent(trial, await stage.lobby(from))
  return {
    fresh: async () => (isOurs ? null : freshAddress()),
    ask: async (from) => spent(trial, await stage.call(endpoint, from)),
    elsewhere,
    decision,
    atOnce,
    ...(isOurs ? { single: true } : {})
  }
}

/** Of a project (or room) of its own, from as many addresses as it takes. */
const projectBench = (
  trial: Trial,
  { endpoint, address }: { readonly endpoint: OpenEndpoint; readonly address: Bucket }
): BucketBench<OpenStage> => {
  let [from, asked] = [freshAddress(), 0]
  let first: OpenStage | undefined
  return {
    // Another room of the same project has its own (T-22), and so has another project.
    fresh: async () => {
      const stage = await openStage(
        trial,
        endpoint,
        endpoint === "audience.mint" ? first : undefined
      )
      first ??= stage
      return stage
    },
    ask: async (stage) => {
      if (asked++ % address.burst === 0) from = freshAddress()
      return spent(trial, await stage.call(endpoint, from))
    },
    decision,
    atOnce
  }
}

/** The endpoint of a row `rate.<endpoint>.<key>.<burst or refill>`. */
const endpointOf = (id: string): OpenEndpoint => {
  const found = endpoints.find((endpoint) => id.startsWith(`rate.${endpoint}.`))
  if (found === undefined) throw new Error(`${id} is no row of an open endpoint`)
  return found
}

const burstFromAddress: ProbeOf = (id) => {
  const row = rowOf("bucket", id)
  return {
    title: `${row.endpoint}: ${row.burst} at once from an address, and no more`,
    alone: true,
    timeoutMs,
    run: async (trial) => {
      const bench = await addressBench(trial, endpointOf(id))
      if (bench.single === true) await bucketChecks(trial, row, bench)
      else await burstCheck(trial, row, bench)
    }
  }
}

const refillOfAddress: ProbeOf = (id) => {
  const row = rowOf("bucket", id)
  return {
    title: `${row.endpoint}: what an address spent comes back at its pace`,
    alone: true,
    timeoutMs,
    run: async (trial) => bucketChecks(trial, row, await addressBench(trial, endpointOf(id)))
  }
}

const ofProject = (id: string) => {
  const endpoint = endpointOf(id)
  const address = rowOf("bucket", `rate.${endpoint}.address.burst`)
  return { row: rowOf("bucket", id), bench: { endpoint, address } }
}

const burstForProject: ProbeOf = (id) => {
  const { row, bench } = ofProject(id)
  return {
    title: `${row.endpoint}: ${row.burst} at once for a ${row.key}, from whatever addresses`,
    timeoutMs,
    run: (trial) => burstCheck(trial, row, projectBench(trial, bench))
  }
}

const refillOfProject: ProbeOf = (id) => {
  const { row, bench } = ofProject(id)
  return {
    title: `${row.endpoint}: what a ${row.key} spent comes back at its pace`,
    alone: true,
    timeoutMs,
    run: (trial) => bucketChecks(trial, row, projectBench(trial, bench))
  }
}

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

/** What holds of all open endpoints. */
const openChecks: ReadonlyArray<Check> = [
  {
    ids: ["rate.open.ipv6-64"],
    title: "addresses of one /64 share an allowance; the next /64 and IPv4 have their own",
    needs: ["clock"],
    alone: true,
    timeoutMs,
    run: async (trial) => {
      const stage = await openStage(trial, "identity.mint")
      const [prefix, otherPrefix] = freshPrefixes()
      const plain = [freshAddress(), freshAddress()] as const
      const ask = async (from: string) => spent(trial, await stage.call("identity.mint", from))
      await prefixCheck(trial, identities.address(), { ask, prefix, otherPrefix, plain })
    }
  },
  {
    ids: ["rate.open.address-first"],
    title: "who has no allowance left at an address spends nothing of the project's",
    needs: ["clock"],
    alone: true,
    timeoutMs,
    run: async (trial) => {
      const stage = await openStage(trial, "identity.mint")
      const ask = async (from: string) => spent(trial, await stage.call("identity.mint", from))
      const rows = { address: identities.address(), project: identities.project() }
      await drawOrderCheck(trial, rows, { address: freshAddress, ask })
    }
  },
  {
    ids: ["rate.open.project-only-existing"],
    title: "a project that does not exist has no allowance to spend",
    timeoutMs,
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
  },
  {
    ids: ["rate.open.assertion-valid-only"],
    title: "an assertion that is not valid spends nothing of the project's",
    timeoutMs,
    run: async (trial) => {
      const stage = await openStage(trial, "identity.assertion")
      const ofAddress = rowOf("bucket", "rate.identity.assertion.address.burst")
      const ofProject = rowOf("bucket", "rate.identity.assertion.project.burst")
      const ask = async (from: string): Promise<void> => {
        const answer = await stage.call("identity.assertion", from, { assertion: "not.a.token" })
        same("what is not valid", answer.status, 401)
      }
      await fromEverywhere(ofProject.burst + 1, ask, ofAddress)
      const answer = await stage.call("identity.assertion", freshAddress())
      isTaken("a valid one", spent(trial, answer))
    }
  },
  {
    ids: ["rate.open.link-every-guess"],
    title: "a wrong link code spends as a right one does",
    alone: true,
    timeoutMs,
    run: async (trial) => {
      const bench = await addressBench(trial, "account.link")
      const row = rowOf("bucket", "rate.account.link.address.burst")
      if (bench.single === true) await bucketChecks(trial, row, bench)
      else await burstCheck(trial, row, bench)
    }
  },
  {
    ids: ["rate.open.project-isolation"],
    title: "a project that has spent its allowance leaves others theirs",
    timeoutMs,
    run: async (trial) => {
      const bench = projectBench(trial, {
        endpoint: "identity.mint",
        address: identities.address()
      })
      const exhausted = await bench.fresh()
      await burstCheck(trial, identities.project(), { ...bench, fresh: async () => exhausted })
      isTaken("another project", await bench.ask(await bench.fresh()))
    }
  },
  {
    ids: ["rate.open.endpoint-isolation"],
    title: "each endpoint has an allowance of its own",
    alone: true,
    timeoutMs,
    run: async (trial) =>
      bucketChecks(trial, identities.address(), await addressBench(trial, "identity.mint")),
    needs: ["clock"]
  },
  {
    ids: ["rate.open.endpoint-isolation"],
    needs: ["address", "audience", "relay", "fixture"],
    timeoutMs,
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
    ids: ["rate.open.account-shared"],
    title: "the account and its devices share an allowance",
    needs: ["address"],
    timeoutMs,
    run: async (trial) => {
      const stage = await openStage(trial, "account.manage")
      const from = freshAddress()
      const row = rowOf("bucket", "rate.account.manage.address.burst")
      const ask = async () => spent(trial, await stage.call("account.manage", from))
      await burstCheck(trial, row, { fresh: async () => from, ask, decision })
      const { headers, bearer } = (await stage.call("account.manage", from)).request
      const path = `/v1/account/devices?project=${stage.project.id}`
      const answer = await trial.send({
        method: "GET",
        path,
        ...(headers === undefined ? {} : { headers }),
        ...(bearer === undefined ? {} : { bearer })
      })
      same("the devices after the account", answer.status, limitedStatus)
    }
  }
]

/** Allowances of the open endpoints, by address and by project. */
export const rateChecks: ReadonlyArray<Check> = [
  ...openChecks,
  { ids: ["rate.match.join.address.burst"], ...burstFromAddress("rate.match.join.address.burst") },
  { ids: ["rate.match.join.address.refill"], ...refillOfAddress("rate.match.join.address.refill") },
  {
    ids: ["rate.match.party.address.burst"],
    ...burstFromAddress("rate.match.party.address.burst")
  },
  {
    ids: ["rate.match.party.address.refill"],
    ...refillOfAddress("rate.match.party.address.refill")
  },
  {
    ids: ["rate.match.status.address.burst"],
    ...burstFromAddress("rate.match.status.address.burst")
  },
  {
    ids: ["rate.match.status.address.refill"],
    ...refillOfAddress("rate.match.status.address.refill")
  },
  {
    ids: ["rate.identity.mint.address.burst"],
    ...burstFromAddress("rate.identity.mint.address.burst")
  },
  {
    ids: ["rate.identity.mint.address.refill"],
    ...refillOfAddress("rate.identity.mint.address.refill")
  },
  {
    ids: ["rate.identity.assertion.address.burst"],
    ...burstFromAddress("rate.identity.assertion.address.burst")
  },
  {
    ids: ["rate.identity.assertion.address.refill"],
    ...refillOfAddress("rate.identity.assertion.address.refill")
  },
  {
    ids: ["rate.leaderboard.read.address.burst"],
    ...burstFromAddress("rate.leaderboard.read.address.burst")
  },
  {
    ids: ["rate.leaderboard.read.address.refill"],
    ...refillOfAddress("rate.leaderboard.read.address.refill")
  },
  {
    ids: ["rate.account.linkCode.address.burst"],
    ...burstFromAddress("rate.account.linkCode.address.burst")
  },
  {
    ids: ["rate.account.linkCode.address.refill"],
    ...refillOfAddress("rate.account.linkCode.address.refill")
  },
  {
    ids: ["rate.account.link.address.burst"],
    ...burstFromAddress("rate.account.link.address.burst")
  },
  {
    ids: ["rate.account.link.address.refill"],
    ...refillOfAddress("rate.account.link.address.refill")
  },
  {
    ids: ["rate.account.manage.address.burst"],
    ...burstFromAddress("rate.account.manage.address.burst")
  },
  {
    ids: ["rate.account.manage.address.refill"],
    ...refillOfAddress("rate.account.manage.address.refill")
  },
  {
    ids: ["rate.presence.read.address.burst"],
    ...burstFromAddress("rate.presence.read.address.burst")
  },
  {
    ids: ["rate.presence.read.address.refill"],
    ...refillOfAddress("rate.presence.read.address.refill")
  },
  {
    ids: ["rate.presence.watch.address.burst"],
    ...burstFromAddress("rate.presence.watch.address.burst")
  },
  {
    ids: ["rate.presence.watch.address.refill"],
    ...refillOfAddress("rate.presence.watch.address.refill")
  },
  {
    ids: ["rate.audience.mint.address.burst"],
    ...burstFromAddress("rate.audience.mint.address.burst")
  },
  {
    ids: ["rate.audience.mint.address.refill"],
    ...refillOfAddress("rate.audience.mint.address.refill")
  },
  { ids: ["rate.match.join.project.burst"], ...burstForProject("rate.match.join.project.burst") },
  { ids: ["rate.match.join.project.refill"], ...refillOfProject("rate.match.join.project.refill") },
  { ids: ["rate.match.party.project.burst"], ...burstForProject("rate.match.party.project.burst") },
  {
    ids: ["rate.match.party.project.refill"],
    ...refillOfProject("rate.match.party.project.refill")
  },
  {
    ids: ["rate.match.status.project.burst"],
    ...burstForProject("rate.match.status.project.burst")
  },
  {
    ids: ["rate.match.status.project.refill"],
    ...refillOfProject("rate.match.status.project.refill")
  },
  {
    ids: ["rate.identity.mint.project.burst"],
    ...burstForProject("rate.identity.mint.project.burst")
  },
  {
    ids: ["rate.identity.mint.project.refill"],
    ...refillOfProject("rate.identity.mint.project.refill")
  },
  {
    ids: ["rate.identity.assertion.project.burst"],
    ...burstForProject("rate.identity.assertion.project.burst")
  },
  {
    ids: ["rate.identity.assertion.project.refill"],
    ...refillOfProject("rate.identity.assertion.project.refill")
  },
  {
    ids: ["rate.leaderboard.read.project.burst"],
    ...burstForProject("rate.leaderboard.read.project.burst")
  },
  {
    ids: ["rate.leaderboard.read.project.refill"],
    ...refillOfProject("rate.leaderboard.read.project.refill")
  },
  {
    ids: ["rate.account.linkCode.project.burst"],
    ...burstForProject("rate.account.linkCode.project.burst")
  },
  {
    ids: ["rate.account.linkCode.project.refill"],
    ...refillOfProject("rate.account.linkCode.project.refill")
  },
  {
    ids: ["rate.account.link.project.burst"],
    ...burstForProject("rate.account.link.project.burst")
  },
  {
    ids: ["rate.account.link.project.refill"],
    ...refillOfProject("rate.account.link.project.refill")
  },
  {
    ids: ["rate.account.manage.project.burst"],
    ...burstForProject("rate.account.manage.project.burst")
  },
  {
    ids: ["rate.account.manage.project.refill"],
    ...refillOfProject("rate.account.manage.project.refill")
  },
  {
    ids: ["rate.presence.read.project.burst"],
    ...burstForProject("rate.presence.read.project.burst")
  },
  {
    ids: ["rate.presence.read.project.refill"],
    ...refillOfProject("rate.presence.read.project.refill")
  },
  {
    ids: ["rate.presence.watch.project.burst"],
    ...burstForProject("rate.presence.watch.project.burst")
  },
  {
    ids: ["rate.presence.watch.project.refill"],
    ...refillOfProject("rate.presence.watch.project.refill")
  },
  { ids: ["rate.audience.mint.room.burst"], ...burstForProject("rate.audience.mint.room.burst") },
  { ids: ["rate.audience.mint.room.refill"], ...refillOfProject("rate.audience.mint.room.refill") }
]
