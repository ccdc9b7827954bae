import { expect, test } from "vitest"

import { compare, type Taken } from "./Compared.ts"
import { comparedText } from "./ComparedText.ts"

const taken = (of: number): Taken => ({
  cpuCores: of,
  memoryBytes: of,
  egressBytesPerSecond: of
})

test("[sim.validate] the median of the loads counts, and a fifth more or less is kept", () => {
  const loads = [taken(90), taken(1_000), taken(100)]
  expect(compare({ cpuCores: 120, memoryBytes: 80, egressBytesPerSecond: 100 }, loads)).toEqual([
    { resource: "cpuCores", planned: 120, measured: 100, off: expect.closeTo(0.2), kept: true },
    { resource: "memoryBytes", planned: 80, measured: 100, off: expect.closeTo(-0.2), kept: true },
    { resource: "egressBytesPerSecond", planned: 100, measured: 100, off: 0, kept: true }
  ])
})

test("[sim.validate] more than a fifth is too far, and so is what was not measured", () => {
  const far = compare({ cpuCores: 120.1, memoryBytes: 79.9, egressBytesPerSecond: 100 }, [
    taken(100)
  ])
  expect(far.map(({ kept }) => kept)).toEqual([false, false, true])
  expect(compare(taken(1), []).map(({ kept }) => kept)).toEqual([false, false, false])
})

test("[sim.validate] people read how far the plan is off, and what is not compared", () => {
  const planned = { cpuCores: 1.5, memoryBytes: 90 * 1024 ** 2, egressBytesPerSecond: 2048 }
  const load = { cpuCores: 1, memoryBytes: 100 * 1024 ** 2, egressBytesPerSecond: 2048 }
  expect(comparedText(compare(planned, [load]))).toBe(`\
CPU      planned 1.5 cores, measured 1 cores: +50 %, too far
memory   planned 90 MiB, measured 100 MiB: −10 %
egress   planned 2 KiB/s, measured 2 KiB/s: +0 %
left out voice, durable calls, matchmaking, and events other than the flash crowd
left out the database: its writes, CPU and memory
left out times of joins, and the moments of caps and walls`)
})
