import type { ProbeOf } from "../../check/Check.ts"
import { holds, same, Unsupported } from "../../check/Expect.ts"
import type { OpenEndpoint } from "../../codec/OpenCalls.ts"
import { type BucketBench, bucketChecks, burstCheck } from "../../families/Bucket.ts"
import { type Outcome, taken, outcomeOf } from "../../families/Outcome.ts"
import { freshAddress } from "../../trial/Addresses.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import { openStage, type OpenStage } from "../../trial/OpenStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Bucket } from "../Row.ts"
import { rowOf } from "../Section.ts"

const endpoints: ReadonlyArray<OpenEndpoint> = [
  ...(["match.join", "match.party", "match.status"] as const),
  ...(["identity.mint", "identity.assertion", "leaderboard.read"] as const),
  ...(["account.linkCode", "account.link", "account.manage"] as const),
  ...(["presence.read", "presence.watch", "audience.mint"] as const)
]

export const limitedStatus = 429

export const decision = "D-26"

/** Requests that are under way together. */
const atOnce = 6

/** Taken is whatever is not a rate limit: a wrong link code spends as well as a right one. */
export const spent = (trial: Trial, answer: HttpAnswer): Outcome => {
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
export const addressBench = async (
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
export const projectBench = (
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

export const burstFromAddress: ProbeOf = (id) => {
  const row = rowOf("bucket", id)
  return {
    title: `${row.endpoint}: ${row.burst} at once from an address, and no more`,
    alone: true,
    timeoutMs: 60_000,
    run: async (trial) => {
      const bench = await addressBench(trial, endpointOf(id))
      if (bench.single === true) await bucketChecks(trial, row, bench)
      else await burstCheck(trial, row, bench)
    }
  }
}

export const refillOfAddress: ProbeOf = (id) => {
  const row = rowOf("bucket", id)
  return {
    title: `${row.endpoint}: what an address spent comes back at its pace`,
    alone: true,
    timeoutMs: 60_000,
    run: async (trial) => bucketChecks(trial, row, await addressBench(trial, endpointOf(id)))
  }
}

const ofProject = (id: string) => {
  const endpoint = endpointOf(id)
  const address = rowOf("bucket", `rate.${endpoint}.address.burst`)
  return { row: rowOf("bucket", id), bench: { endpoint, address } }
}

export const burstForProject: ProbeOf = (id) => {
  const { row, bench } = ofProject(id)
  return {
    title: `${row.endpoint}: ${row.burst} at once for a ${row.key}, from whatever addresses`,
    // A service that other checks keep busy may give back as much as it is asked.
    alone: true,
    timeoutMs: 60_000,
    run: (trial) => burstCheck(trial, row, projectBench(trial, bench))
  }
}

export const refillOfProject: ProbeOf = (id) => {
  const { row, bench } = ofProject(id)
  return {
    title: `${row.endpoint}: what a ${row.key} spent comes back at its pace`,
    alone: true,
    timeoutMs: 60_000,
    run: (trial) => bucketChecks(trial, row, projectBench(trial, bench))
  }
}
