import { Result, Schema } from "effect"
import { expect, test } from "vitest"

import { Calibration } from "./Calibration.ts"
import { defaultCalibration } from "./DefaultCalibration.ts"

const decode = Schema.decodeUnknownResult(Calibration, {
  errors: "all",
  onExcessProperty: "error"
})

test("[sim.calibration] the default is a calibration, and says where each of its figures is from", () => {
  const whole: unknown = JSON.parse(JSON.stringify(defaultCalibration))
  expect(decode(whole)).toEqual(Result.succeed(defaultCalibration))
  const { machine: _, sources, ...groups } = defaultCalibration
  const figures = Object.entries(groups).flatMap(([group, values]) =>
    Object.keys(values).map((name) => `${group}.${name}`)
  )
  expect(Object.keys(sources).filter((path) => !path.startsWith("machine."))).toEqual(figures)
})

test("[sim.calibration] a key that is missing, negative or unknown is refused", () => {
  const { cpu } = defaultCalibration
  const { tickUs: _, ...short } = cpu
  const refused = [short, { ...cpu, tickUs: -1 }, { ...cpu, tickMs: 1 }].map((wrong) =>
    Result.isFailure(decode({ ...defaultCalibration, cpu: wrong }))
  )
  expect(refused).toEqual([true, true, true])
  expect(Result.isSuccess(decode({ ...defaultCalibration, cpu: { ...cpu, tickUs: 0 } }))).toBe(true)
})
