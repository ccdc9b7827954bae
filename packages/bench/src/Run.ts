import type { BenchService, Servers } from "@atrium/api/testing/load/Servers"

import type { Bench } from "./Bench.ts"
import { fanOut } from "./FanOut.ts"
import type { Figure, Measured, Workload } from "./Figure.ts"
import { idleCost } from "./IdleCost.ts"
import { joins } from "./Joins.ts"
import { readTurns, type TurnCounts, turnFigures } from "./LoopTurns.ts"
import { management } from "./Management.ts"
import type { Peer } from "./peers/Peer.ts"
import { startPeers } from "./peers/StartPeers.ts"
import { playerData } from "./PlayerData.ts"
import { replayCost } from "./ReplayCost.ts"
import { type BenchSizes, type Extent, sizes } from "./Sizes.ts"
import { stateSync } from "./StateSync.ts"
import { wake } from "./Wake.ts"

const measure: Record<Workload, (bench: Bench, sizes: BenchSizes) => Promise<Measured>> = {
  W1: (bench, { fanOut: size }) => fanOut(bench, size),
  W2: (bench, { stateSync: size }) => stateSync(bench, size),
  W3: (bench, { joins: size }) => joins(bench, size),
  W4: (bench, { idleCost: size }) => idleCost(bench, size),
  W5: (bench, { wake: size }) => wake(bench, size),
  W6: (bench, { management: size }) => management(bench, size),
  W7: (bench, { playerData: size }) => playerData(bench, size),
  W8: (bench, { replayCost: size }) => replayCost(bench, size)
}

/** The servers and the progress lines of a run. */
export interface RunParts {
  readonly servers: Servers
  /** Where the peers are installed; `null` = the run has none. */
  readonly peersFolder: string | null
  progress(line: string): void
}

/** Runs workloads one after another, each on fresh servers. What breaks one does not stop the others. */
export const run = async (
  parts: RunParts,
  workloads: ReadonlyArray<Workload>,
  extent: Extent
): Promise<ReadonlyArray<Measured>> => {
  const measured: Array<Measured> = []
  for (const workload of workloads) {
    const bench = new WatchedBench(parts)
    try {
      const done = await measure[workload](bench, sizes[extent])
      measured.push({ ...done, figures: [...done.figures, ...(await bench.turns())] })
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      measured.push({ workload, figures: [], faults: [fault], notes: [] })
    }
    await parts.servers.stop()
  }
  return measured
}

/** A measurement sends more than the sustained rate on purpose. */
const unlimited = { ATRIUM_SUSTAINED_BYTES: "off" }

/** Knows what the event loops of its services have done since each was handed out. */
class WatchedBench implements Bench {
  readonly servers: Servers
  readonly #peersFolder: string | null
  readonly #progress: (line: string) => void
  readonly #watched: Array<{ readonly service: BenchService; readonly before: TurnCounts }> = []

  constructor({ servers, peersFolder, progress }: RunParts) {
    this.servers = servers
    this.#peersFolder = peersFolder
    this.#progress = progress
  }

  progress(line: string): void {
    this.#progress(line)
  }

  async service(env: Readonly<Record<string, string>> = {}): Promise<BenchService> {
    const service = await this.servers.service({ ...unlimited, ...env })
    this.#watched.push({ service, before: readTurns(await service.metrics()) })
    return service
  }

  async peers(): Promise<ReadonlyArray<Peer>> {
    return this.#peersFolder === null ? [] : startPeers(this.servers, this.#peersFolder)
  }

  async turns(): Promise<ReadonlyArray<Figure>> {
    const looks = this.#watched.map(async ({ service, before }) => ({
      before,
      after: readTurns(await service.metrics())
    }))
    return turnFigures(await Promise.all(looks))
  }
}
