import type { Boundary } from "./Row.ts"

export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export const kib = 1024
export const mib = 1024 * kib

type Sized = Pick<Boundary, "unit" | "accept" | "refuse" | "grey">

/** At most `max` of what is counted one by one. */
export const atMost = <Unit extends Boundary["unit"]>(max: number, unit: Unit) => ({
  unit,
  accept: max,
  refuse: max + 1
})

/** A size in a unit that is 1000 or 1024 of the next smaller, as one reads it (T-KB). */
const ofUnit = (count: number, power: 1 | 2 | 3): Sized => {
  const [decimal, binary] = [count * 1000 ** power, count * 1024 ** power]
  return { ...atMost(binary, "bytes"), grey: [decimal + 1, binary] }
}

export const kilobytes = (count: number): Sized => ofUnit(count, 1)
export const megabytes = (count: number): Sized => ofUnit(count, 2)
export const gigabytes = (count: number): Sized => ofUnit(count, 3)
