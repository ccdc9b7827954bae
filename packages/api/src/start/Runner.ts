import { shardingTimes } from "@atrium/actors/cluster/ShardingTimes"
import { NodeClusterSocket } from "@effect/platform-node"
import { Layer, Option } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SqlRunnerStorage
} from "effect/cluster"

import type { ServiceConfig } from "./ServiceConfig.ts"

/** This runner alone: it looks for no other one. */
const alone = Sharding.layer.pipe(
  Layer.provideMerge(Runners.layerNoop),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layerFromEnv(shardingTimes))
)

/** One of several runners on the same database, which holds the locks of their shards. */
const oneOfSeveral = (address: string) => {
  const colon = address.lastIndexOf(":")
  const runnerAddress = Option.some(
    RunnerAddress.make(address.slice(0, colon), Number(address.slice(colon + 1)))
  )
  const shardingConfig = { ...shardingTimes, runnerAddress }
  return NodeClusterSocket.layer({ storage: "byo", shardingConfig }).pipe(
    Layer.provide(SqlRunnerStorage.layer),
    Layer.provide(ShardingConfig.layerFromEnv(shardingConfig)),
    Layer.orDie
  )
}

/**
 * The actors' cluster. What is said to an actor is never stored: with a storage for messages, the
 * cluster would look for them every few seconds and remember each request until it has looked.
 */
export const runnerLayer = (config: Pick<ServiceConfig, "runnerAddress">) =>
  Option.match(config.runnerAddress, { onNone: () => alone, onSome: oneOfSeveral }).pipe(
    Layer.provideMerge(MessageStorage.layerNoop)
  )
