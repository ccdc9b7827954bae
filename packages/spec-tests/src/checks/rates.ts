import type { Check } from "../check/Check.ts"
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

const addressChecks = (endpoint: OpenEndpoint): ReadonlyArray<Check> => {
  const row = rowOf("bucket", `rate.${endpoint}.address.burst`)
  return [
    {
      ids: [`rate.${endpoint}.address.burst`],
      title: `${row.endpoint}: ${row.burst} at once from an address, and no more`,
      alone: true,
      timeoutMs,
      run: async (trial) => {
        const bench = await addressBench(trial, endpoint)
        if (bench.single === true) await bucketChecks(trial, row, bench)
        else await burstCheck(trial, row, bench)
      }
    },
    {
      ids: [`rate.${endpoint}.address.refill`],
      title: `${row.endpoint}: what an address spent comes back at its pace`,
      alone: true,
      timeoutMs,
      run: async (trial) => bucketChecks(trial, row, await addressBench(trial, endpoint))
    }
  ]
}

const projectChecks = (endpoint: OpenEndpoint): ReadonlyArray<Check> => {
  const key = endpoint === "audience.mint" ? "room" : "project"
  const row = rowOf("bucket", `rate.${endpoint}.${key}.burst`)
  const address = rowOf("bucket", `rate.${endpoint}.address.burst`)
  return [
    {
      ids: [`rate.${endpoint}.${key}.burst`],
      title: `${row.endpoint}: ${row.burst} at once for a ${key}, from whatever addresses`,
      timeoutMs,
      run: (trial) => burstCheck(trial, row, projectBench(trial, { endpoint, address }))
    },
    {
      ids: [`rate.${endpoint}.${key}.refill`],
      title: `${row.endpoint}: what a ${key} spent comes back at its pace`,
      alone: true,
      timeoutMs,
      run: (trial) => bucketChecks(trial, row, projectBench(trial, { endpoint, address }))
    }
  ]
}

const address = rowOf("bucket", "rate.identity.mint.address.burst")
const project = rowOf("bucket", "rate.identity.mint.project.burst")

/** Asks so often, from ever new addresses. */
const fromEverywhere = async (
  times: number,
  ask: (from: string) => Promise<unknown>,
  { burst }: Bucket = address
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
      await prefixCheck(trial, address, { ask, prefix, otherPrefix, plain })
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
      await drawOrderCheck(trial, { address, project }, { address: freshAddress, ask })
    }
  },
  {
    ids: ["rate.open.project-only-existing"],
    title: "a project that does not exist has no allowance to spend",
    timeoutMs,
    run: async (trial) => {
      const stage = await openStage(trial, "identity.mint")
      const nowhere = { project: "p_0000000000000000" }
      await fromEverywhere(project.burst + 1, async (from) => {
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
      const bench = projectBench(trial, { endpoint: "identity.mint", address })
      const exhausted = await bench.fresh()
      await burstCheck(trial, project, { ...bench, fresh: async () => exhausted })
      isTaken("another project", await bench.ask(await bench.fresh()))
    }
  },
  {
    ids: ["rate.open.endpoint-isolation"],
    title: "each endpoint has an allowance of its own",
    alone: true,
    timeoutMs,
    run: async (trial) => bucketChecks(trial, address, await addressBench(trial, "identity.mint")),
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
      await burstCheck(trial, address, { fresh: async () => from, ask, decision })
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
  ...endpoints.flatMap(addressChecks),
  ...endpoints.flatMap(projectChecks)
]
