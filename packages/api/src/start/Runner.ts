import { endedHomes, homeLocks } from "@atrium/actors/cluster/HomeLocks"
import { leasedLocks } from "@atrium/actors/cluster/LeasedLocks"
import { shardingTimes } from "@atrium/actors/cluster/ShardingTimes"
import { ShardLeases } from "@atrium/actors/cluster/ShardLeases"
import { type HomeKey, HomeStore } from "@atrium/actors/servers/HomeStore"
import { groupOf } from "@atrium/actors/servers/ServerIndex"
import { ServerPlaces } from "@atrium/actors/servers/ServerPlaces"
import { thisHome } from "@atrium/actors/servers/ThisHome"
import { randomHex } from "@atrium/actors/store/Secrets"
import { hostPortOf } from "@atrium/domain/shared/HostPort"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Duration, Effect, Layer, Option } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlRunnerStorage
} from "effect/cluster"
import { RpcSerialization } from "effect/rpc"

import { endedRunners } from "./EndedRunners.ts"
import { endingWrites } from "./RunnerSockets.ts"
import type { ServiceConfig } from "./ServiceConfig.ts"

/** This runner alone: it looks for no other one. */
const alone = Sharding.layer.pipe(
  Layer.provideMerge(Runners.layerNoop),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer(shardingTimes))
)

/** `NodeClusterSocket.layer`, whose connections end with their peers. */
const runnersBySocket = SocketRunner.layer.pipe(
  Layer.provide(endingWrites.pipe(Layer.provide(NodeClusterSocket.layerSocketServer))),
  Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))),
  Layer.provide(NodeClusterSocket.layerClientProtocol),
  Layer.provide(RpcSerialization.layerSchemaBinary())
)

/** One of several runners on the same database, which holds the locks of their shards. */
const oneOfSeveral = (address: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const session = randomHex(16)
      const home = yield* (yield* HomeStore).open(address, session)
      return atHome(address, { home, session })
    })
  ).pipe(Layer.provide([HomeStore.layerSql, ServerPlaces.layerSql]), Layer.orDie)

const atHome = (address: string, key: HomeKey) => {
  const { host, port } = hostPortOf(address)
  const runnerAddress = Option.some(RunnerAddress.make(host, port))
  const shared = { ...shardingTimes, runnerAddress }
  const groups = [...shardingTimes.availableShardGroups, groupOf(key.home)]
  const shardingConfig = { ...shared, availableShardGroups: groups, assignedShardGroups: groups }
  const leases = new ShardLeases({
    forMs: Duration.toMillis(shardingTimes.shardLockExpiration),
    nowMs: () => performance.now()
  })
  const locks = leasedLocks(leases).pipe(
    Layer.provide(homeLocks(key)),
    // The locks of shards are numbered, and those of homes are none of them.
    Layer.provide(Layer.provide(SqlRunnerStorage.layer, ShardingConfig.layer(shared))),
    Layer.provide(Layer.provide(endedHomes, endedRunners))
  )
  return runnersBySocket.pipe(
    Layer.provideMerge(locks),
    Layer.provide(ShardingConfig.layer(shardingConfig)),
    Layer.provideMerge(thisHome(key.home))
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
