import { relative } from "node:path"

import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * The files that take longest, so that none of them is the last that the others wait for. vitest remembers
 * how long a file took; a fresh clone goes by the size of a file, which says little. `npm test` prints the slowest.
 */
const slow: ReadonlyArray<string> = [
  "scripts/packages.e2e.test.ts",
  "packages/api/src/start/Start.e2e.test.ts",
  "scripts/marbles.e2e.test.ts",
  "packages/torture/src/fuzz/HttpFuzz.e2e.test.ts",
  "packages/api/src/objects/Objects.e2e.test.ts",
  "packages/torture/src/isolation/SharedRooms.e2e.test.ts",
  "packages/torture/src/cluster/Cluster.e2e.test.ts",
  "packages/torture/src/faults/Service.e2e.test.ts",
  "packages/api/src/deployments/Deploy.e2e.test.ts",
  "scripts/voice.e2e.test.ts",
  "packages/api/src/control/Control.e2e.test.ts",
  "packages/torture/src/faults/Database.e2e.test.ts",
  "packages/api/src/migrations/Migrations.e2e.test.ts",
  "packages/api/src/rooms/RefusedJoins.e2e.test.ts",
  "packages/api/src/start/SimLoad.e2e.test.ts",
  "packages/api/src/rooms/Retention.e2e.test.ts",
  "packages/api/src/keys/KeysOnRunners.e2e.test.ts",
  "packages/torture/src/isolation/Exits.e2e.test.ts",
  "packages/api/src/http/RawRequests.e2e.test.ts",
  "packages/api/src/deployments/DeployTurns.e2e.test.ts",
  "packages/torture/src/faults/DiskFull.e2e.test.ts",
  "packages/torture/src/faults/DatabaseAway.e2e.test.ts",
  "packages/torture/src/faults/Runners.e2e.test.ts",
  "packages/torture/src/faults/DatabaseFrozen.e2e.test.ts",
  "packages/torture/src/fuzz/Fuzz.e2e.test.ts",
  "packages/api/src/meters/MeteredRunners.e2e.test.ts",
  "packages/api/src/start/ForeignDatabase.e2e.test.ts",
  "packages/api/src/router/UnfinishedMessages.e2e.test.ts",
  "packages/torture/src/faults/Handover.e2e.test.ts",
  "packages/torture/src/faults/Forwarding.e2e.test.ts",
  "packages/torture/src/isolation/Launcher.e2e.test.ts",
  "packages/api/src/fleet/Fleet.e2e.test.ts",
  "packages/api/src/router/Relay.e2e.test.ts",
  "packages/api/src/start/Cli.e2e.test.ts",
  "packages/torture/src/faults/Upgrade.e2e.test.ts",
  "scripts/conformance/DocumentedSteps.e2e.test.ts",
  "packages/api/src/logs/Logs.e2e.test.ts",
  "packages/torture/src/faults/PlayerKv.e2e.test.ts",
  "packages/torture/src/faults/WholeAnswers.e2e.test.ts",
  "packages/torture/src/world/Simulation.test.ts",
  "packages/spec-tests/src/stub/Stub.test.ts",
  "packages/cli/src/deployments/dev.test.ts",
  "packages/sim/src/plan/Plan.test.ts",
  "packages/actors/src/process/stacks/MapperProcess.test.ts",
  "packages/actors/src/process/RoomProcess.test.ts",
  "packages/sim/src/Simulate.test.ts",
  "packages/cli/src/deployments/deploy.test.ts",
  "packages/actors/src/process/RoomProcesses.test.ts",
  "packages/postgres/src/EmbeddedPostgres.test.ts",
  "packages/actors/src/process/RoomFloods.test.ts",
  "packages/cli/src/sites/devSite.test.ts",
  "packages/actors/src/process/RoomWalk.test.ts",
  "packages/spec-tests/src/faux/Faux.test.ts",
  "packages/actors/src/objects/S3Bytes.test.ts",
  "packages/actors/src/kv/KvStore.test.ts",
  "scripts/protocol/Decoder.test.ts",
  "packages/postgres/src/KeptPostgres.test.ts",
  "packages/cli/src/sim/simulate.test.ts"
]

/** Runs the files of {@link slow} first within their project, in that order. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const projects = [...Map.groupBy(sorted, ({ project }) => project.name).values()]
    const { root } = this.ctx.config
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = slow.indexOf(relative(root, moduleId))
      return place === -1 ? slow.length : place
    }
    return projects.flatMap((ofOne) => ofOne.toSorted((one, other) => rank(one) - rank(other)))
  }
}
