import type { Calibration } from "./Calibration.ts"
import { defaultCalibration } from "./DefaultCalibration.ts"
import type { Samples } from "./Samples.ts"

/** Digits that a measurement of a busy machine has. */
const digits = 3
const rounded = (value: number): number => Number(value.toPrecision(digits))

const { sources: defaultSources, cpu, memory, writes, latency, wire } = defaultCalibration

/**
 * A calibration of the figures that were measured. What was not keeps the value of the default one, and its
 * source says so.
 */
export const measuredCalibration = (
  samples: Pick<Samples, "sampled">,
  machine: Calibration["machine"]
): Calibration => {
  const sources: Record<string, string> = {}
  const groupOf = <Group extends Readonly<Record<string, number>>>(
    name: string,
    group: Group
  ): Group => {
    const values = Object.entries(group).map(([key, before]) => {
      const path = `${name}.${key}`
      const found = samples.sampled(path)
      if (found === null) {
        sources[path] = `not measured here: ${defaultSources[path] ?? "a guess"}`
        return [key, before]
      }
      const { median, min, max, count } = found
      // A difference of two measurements that lies within their noise is no cost.
      const value = Math.max(0, rounded(median))
      sources[path] =
        `measured: ${count === 1 ? "once" : `median of ${count}, from ${rounded(min)} to ${rounded(max)}`}`
      return [key, value]
    })
    // It has the keys of the group, and numbers as their values.
    return Object.fromEntries(values) as Group
  }
  return {
    machine,
    cpu: groupOf("cpu", cpu),
    memory: groupOf("memory", memory),
    writes: groupOf("writes", writes),
    latency: groupOf("latency", latency),
    wire: groupOf("wire", wire),
    sources
  }
}

/** From where on samples of one thing are far apart, as a part of their middle. */
const farApart = 0.5

/** Figures whose samples were so far apart that a longer measurement is worth its time. */
export const uncertain = (samples: Pick<Samples, "sampled" | "paths">): ReadonlyArray<string> =>
  samples.paths.filter((path) => {
    const found = samples.sampled(path)
    return found !== null && found.max - found.min > farApart * Math.abs(found.median)
  })
