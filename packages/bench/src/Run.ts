import type { Bench } from "./Bench.ts"
import { fanOut } from "./FanOut.ts"
import type { Measured, Workload } from "./Figure.ts"
import { idleCost } from "./IdleCost.ts"
import { joins } from "./Joins.ts"
import { management } from "./Management.ts"
import { type BenchSizes, fullSizes, quickSizes } from "./Sizes.ts"
import { stateSync } from "./StateSync.ts"
import { wake } from "./Wake.ts"

const measure: Record<Workload, (bench: Bench, sizes: BenchSizes) => Promise<Measured>> = {
  W1: (bench, sizes) => fanOut(bench, sizes.fanOut),
  W2: (bench, sizes) => stateSync(bench, sizes.stateSync),
  W3: (bench, sizes) => joins(bench, sizes.joins),
  W4: (bench, sizes) => idleCost(bench, sizes.idleCost),
  W5: (bench, sizes) => wake(bench, sizes.wake),
  W6: (bench, sizes) => management(bench, sizes.management)
}

/** Runs workloads one after another, each on fresh servers. What breaks one does not stop the others. */
export const run = async (
  bench: Bench,
  workloads: ReadonlyArray<Workload>,
  { quick }: { readonly quick: boolean }
): Promise<ReadonlyArray<Measured>> => {
  const measured: Array<Measured> = []
  for (const workload of workloads) {
    try {
      measured.push(await measure[workload](bench, quick ? quickSizes : fullSizes))
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      measured.push({ workload, figures: [], faults: [fault], notes: [] })
    }
    await bench.servers.stop()
  }
  return measured
}
