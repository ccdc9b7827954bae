import { Result, Schema } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"

import { Calibration } from "./Calibration.ts"
import { defaultCalibration } from "./DefaultCalibration.ts"
import { measuredCalibration, uncertain } from "./MeasuredCalibration.ts"
import { percentile, Samples, tickFit } from "./Samples.ts"

const machine = { name: "a test", cores: 2, memoryBytes: 1, measuredOn: "2026-11-23" }
const decode = Schema.decodeUnknownResult(Calibration, { onExcessProperty: "error" })

test("[sim.calibrate] a figure is the median of its samples, and its source says how many and from where to where", () => {
  const samples = new Samples()
  for (const value of [3, 1.23456, 2]) samples.add("cpu.wakeMs", value)
  for (const value of [-4, -2, 1]) samples.add("cpu.snapshotPerKbMs", value)
  samples.add("latency.wakeP99Ms", 9)
  samples.add("latency.wakeP99Ms", Number.NaN)
  const { cpu, latency, sources } = measuredCalibration(samples, machine)
  expect(cpu).toEqual({ ...defaultCalibration.cpu, wakeMs: 2, snapshotPerKbMs: 0 })
  expect(latency.wakeP99Ms).toBe(9)
  expect(sources).toMatchObject({
    "cpu.wakeMs": "measured: median of 3, from 1.23 to 3",
    "cpu.snapshotPerKbMs": "measured: median of 3, from -4 to 1",
    "latency.wakeP99Ms": "measured: once"
  })
  expect(sources["latency.failoverMs"]).toMatch(/^not measured here: a guess/)
})

test("[sim.calibrate] whatever was measured, the file is a calibration", () => {
  const { sources: _, machine: __, ...groups } = defaultCalibration
  const paths = Object.entries(groups).flatMap(([group, values]) =>
    Object.keys(values).map((key) => `${group}.${key}`)
  )
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const sample = fc.tuple(fc.constantFrom(...paths), share)
  fc.assert(
    fc.property(fc.array(sample), (all) => {
      const samples = new Samples()
      for (const [path, value] of all) samples.add(path, value)
      expect(Result.isSuccess(decode(measuredCalibration(samples, machine)))).toBe(true)
    })
  )
})

test("[sim.calibrate] two numbers of players tell what a tick takes and what a patch takes", () => {
  const at = (players: number) => ({ players, us: 600 + 12 * players })
  expect(tickFit([at(1), at(15)])).toEqual({ tickUs: 600, patchUs: 12 })
})

test("[sim.calibrate] percentiles are of the nearest rank", () => {
  expect([0.5, 0.51, 0.99].map((share) => percentile([4, 1, 3, 2], share))).toEqual([2, 3, 4])
})

test("[sim.calibrate] a figure is uncertain when its samples are further apart than half of their middle", () => {
  const samples = new Samples()
  for (const value of [3, 4, 5]) samples.add("cpu.wakeMs", value)
  for (const value of [2.9, 4, 5]) samples.add("cpu.tickUs", value)
  expect(uncertain(samples)).toEqual(["cpu.tickUs"])
})
