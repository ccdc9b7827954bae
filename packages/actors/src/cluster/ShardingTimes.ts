/**
 * Settings of the cluster that all runners of a database share; none is read from the environment. Why
 * each time is what it is: docs/operations.md, "Several runners".
 */
export const shardingTimes = {
  /** It decides which runner has an actor, so all runners must have the same. */
  shardsPerGroup: 300,
  availableShardGroups: ["default"],
  assignedShardGroups: ["default"],
  maxResidentEntities: 200_000,
  /** A lease runs as long: see `ShardLeases`. */
  shardLockExpiration: "10 seconds",
  shardLockRefreshInterval: "2 seconds",
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "2 seconds",
  entityTerminationTimeout: "2 seconds"
} as const
