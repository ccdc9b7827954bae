/**
 * Settings of the cluster that all runners share. The times bound how long rooms are out of reach when
 * a runner dies: about five seconds.
 */
export const shardingTimes = {
  maxResidentEntities: 200_000,
  shardLockExpiration: "6 seconds",
  shardLockRefreshInterval: "2 seconds",
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "2 seconds"
} as const
