import { NodeClusterSocket, NodeCrypto } from "@effect/platform-node"
import { Layer, Option } from "effect"
import { RunnerAddress, SingleRunner } from "effect/cluster"

import type { ServiceConfig } from "./ServiceConfig.ts"

/**
 * Settings that all runners share. The timings bound how long rooms are out of reach when a runner
 * dies: about five seconds. Source: effect.md 1.3.
 */
const sharding = {
  maxResidentEntities: 200_000,
  shardLockExpiration: "6 seconds",
  shardLockRefreshInterval: "2 seconds",
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "2 seconds",
  // No message is stored; each look has the time in its text, and the database driver keeps them all.
  entityMessagePollInterval: "10 minutes"
} as const

/** The actors' cluster: this runner alone, or one of several on the same database. */
export const runnerLayer = (config: ServiceConfig) =>
  Option.match(config.runnerAddress, {
    onNone: () =>
      SingleRunner.layer({ shardingConfig: sharding, runnerStorage: "memory" }).pipe(
        Layer.provide(NodeCrypto.layerDigest)
      ),
    onSome: (address) => {
      const colon = address.lastIndexOf(":")
      const runnerAddress = Option.some(
        RunnerAddress.make(address.slice(0, colon), Number(address.slice(colon + 1)))
      )
      return NodeClusterSocket.layer({ shardingConfig: { ...sharding, runnerAddress } }).pipe(
        Layer.orDie
      )
    }
  })
