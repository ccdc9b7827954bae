import type { OtherRunner } from "@atrium/actors/cluster/OtherRunners"
import type { SeenRunner } from "@atrium/actors/cluster/RunnerEnds"
import { runnerProtocol } from "@atrium/actors/cluster/RunnerProtocol"
import { shardingTimes } from "@atrium/actors/cluster/ShardingTimes"
import type { Chance } from "@atrium/api/testing/Chance"
import { type Context, Duration } from "effect"
import { MachineId, type Runner, type RunnerAddress, type Sharding } from "effect/cluster"

import type { Host } from "./Host.ts"
import type { Timeline } from "./Timeline.ts"

interface Lock {
  readonly owner: string
  readonly untilMs: number
}

interface Registered {
  readonly runner: Runner.Runner
  readonly healthy: boolean
  readonly heardAtMs: number
}

/** A runner as the others reach it. */
export interface Member {
  readonly host: Host
  /** `null` until its cluster is up. */
  sharding: Sharding.Sharding["Service"] | null
  context: Context.Context<never>
}

export const addressText = ({ host, port }: RunnerAddress.RunnerAddress): string =>
  `${host}:${port}`

/** The address of the runner with this port. */
export const addressOf = (port: number): string => `world:${port}`

/** A message that is late takes up to so long. */
const lateMsMax = 20_000

/** How long a lock, and a runner's word, hold without being renewed. */
const lockMs = Duration.toMillis(shardingTimes.shardLockExpiration)

/** One in so many messages; 0 = none. */
interface Rates {
  messageLost: number
  messageLate: number
}

interface Parts {
  readonly timeline: Timeline
  readonly chance: Chance
}

/** State that the runners of a world share: its members, the owner of each shard, and the network. */
export class ClusterState {
  readonly members = new Map<string, Member>()
  readonly rates: Rates = { messageLost: 0, messageLate: 0 }
  /** Runners that no other one reaches, by address. */
  readonly cut = new Set<string>()
  readonly chance: Chance
  readonly #timeline: Timeline
  readonly #runners = new Map<string, Registered>()
  readonly #locks = new Map<string, Lock>()
  /** When the database forgot locks, by shard. */
  readonly #forgottenAtMs = new Map<string, number>()
  readonly #silent = new Set<string>()
  /** Runners that get no shards, by address: their shards go to the others. */
  readonly #passedBy = new Set<string>()
  readonly #arrivals = new Map<string, number>()
  #machines = 0

  constructor(parts: Parts) {
    this.#timeline = parts.timeline
    this.chance = parts.chance
  }

  get #nowMs(): number {
    return this.#timeline.machineMs
  }

  register(runner: Runner.Runner, healthy: boolean): MachineId.MachineId {
    const address = addressText(runner.address)
    this.#runners.set(address, { runner, healthy, heardAtMs: this.#nowMs })
    return MachineId.make(++this.#machines)
  }

  unregister(address: string): void {
    this.#runners.delete(address)
  }

  runners(): Array<readonly [Runner.Runner, boolean]> {
    return [...this.#runners.values()]
      .filter(({ heardAtMs }) => this.#nowMs - heardAtMs < lockMs)
      .map(({ runner, healthy }) => [runner, healthy && !this.#isPassedBy(runner)] as const)
  }

  #isPassedBy({ address }: Runner.Runner): boolean {
    return this.#passedBy.has(addressText(address))
  }

  /** From now on every runner counts this one as unhealthy, though it lives and is reached. */
  passBy(address: string): void {
    this.#passedBy.add(address)
  }

  takeBack(address: string): void {
    this.#passedBy.delete(address)
  }

  /** The runners as the database sees their connections. */
  seen(): ReadonlyArray<SeenRunner> {
    return [...this.#runners].map(([address, { heardAtMs }]) => {
      const isDead = this.members.get(address)?.host.dead === true
      const isSilent = this.#silent.has(address)
      const refused = isDead && !isSilent
      return { address, connected: !isDead || isSilent, refused, beat: heardAtMs }
    })
  }

  /** The other runners that have a connection to the database, as api/start/OneConfiguration.ts finds them. */
  others(self: string): ReadonlyArray<OtherRunner> {
    return this.seen()
      .filter(({ address, connected }) => connected && address !== self)
      .map(({ address }) => ({ address, link: address, newestProtocol: runnerProtocol.newest }))
  }

  /** Its machine is gone: the database goes on waiting for its connection. */
  silence(address: string): void {
    this.#silent.add(address)
  }

  setHealth(address: string, healthy: boolean): void {
    const known = this.#runners.get(address)
    if (known !== undefined) this.#runners.set(address, { ...known, healthy })
  }

  #isFree(shard: string, address: string): boolean {
    const lock = this.#locks.get(shard)
    return lock === undefined || lock.owner === address || lock.untilMs <= this.#nowMs
  }

  acquire<Id extends { toString(): string }>(address: string, shards: Iterable<Id>): Array<Id> {
    return [...shards].filter((shard) => {
      const free = this.#isFree(shard.toString(), address)
      if (free) this.#hold(shard.toString(), address)
      return free
    })
  }

  #hold(shard: string, owner: string): void {
    this.#locks.set(shard, { owner, untilMs: this.#nowMs + lockMs })
  }

  /** A runner must say nothing for a shard any more: its lock has run out, or is gone. */
  isOver(address: string, shard: string): boolean {
    const forgottenAtMs = this.#forgottenAtMs.get(shard) ?? -lockMs
    // A runner whose lock was forgotten speaks for its rooms while its lease runs.
    if (this.#nowMs < forgottenAtMs + lockMs) return false
    const lock = this.#locks.get(shard)
    return lock?.owner !== address || lock.untilMs <= this.#nowMs
  }

  refresh<Id extends { toString(): string }>(address: string, shards: Iterable<Id>): Array<Id> {
    const known = this.#runners.get(address)
    if (known !== undefined) this.#runners.set(address, { ...known, heardAtMs: this.#nowMs })
    return [...shards].filter((shard) => {
      const held = this.#locks.get(shard.toString())?.owner === address
      if (held) this.#hold(shard.toString(), address)
      return held
    })
  }

  release(address: string, shard: string): void {
    if (this.#locks.get(shard)?.owner === address) this.#locks.delete(shard)
  }

  releaseAll(address: string): void {
    for (const [shard, { owner }] of this.#locks) if (owner === address) this.#locks.delete(shard)
  }

  /** The shards that somebody holds, in the order of their names. */
  get heldShards(): ReadonlyArray<string> {
    return [...this.#locks.keys()].sort()
  }

  /** A shard's lock is gone, as when the connection that held it breaks. */
  loseLock(shard: string): void {
    this.#locks.delete(shard)
    this.#forgottenAtMs.set(shard, this.#nowMs)
  }

  loseAllLocks(): void {
    for (const shard of this.heldShards) this.loseLock(shard)
  }

  isReached(address: string): boolean {
    const member = this.members.get(address)
    return member !== undefined && !member.host.dead && !this.cut.has(address)
  }

  /** How long a message from one runner to another takes from now; none overtakes another. */
  travelMs(from: string, to: string): number {
    const { messageLate } = this.rates
    const late = messageLate > 0 && this.chance.one(messageLate)
    const ms = late ? this.chance.below(lateMsMax) : 1 + this.chance.below(3)
    const pair = `${from}>${to}`
    const atMs = Math.max(this.#arrivals.get(pair) ?? 0, this.#nowMs + ms)
    this.#arrivals.set(pair, atMs)
    return atMs - this.#nowMs
  }

  isLost(): boolean {
    const { messageLost } = this.rates
    return messageLost > 0 && this.chance.one(messageLost)
  }

  mend(): void {
    this.rates.messageLost = 0
    this.rates.messageLate = 0
    this.cut.clear()
    this.#passedBy.clear()
    this.#arrivals.clear()
  }
}
