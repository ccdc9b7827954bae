import type { Compared } from "./Compared.ts"

/** The parts of a scenario and of a service that no validation compares: every report names them. */
export const validateLeftOut: ReadonlyArray<string> = [
  "voice, durable calls, matchmaking, and events other than the flash crowd",
  "the database: its writes, CPU and memory",
  "times of joins, and the moments of caps and walls"
]

const figure = (value: number): string => Number(value.toPrecision(3)).toLocaleString("en-US")

const shown: Readonly<Record<Compared["resource"], (value: number) => string>> = {
  cpuCores: (value) => `${figure(value)} cores`,
  memoryBytes: (value) => `${figure(value / 1024 ** 2)} MiB`,
  egressBytesPerSecond: (value) => `${figure(value / 1024)} KiB/s`
}
const names = { cpuCores: "CPU", memoryBytes: "memory", egressBytesPerSecond: "egress" } as const

/** The comparison for people. */
export const comparedText = (compared: ReadonlyArray<Compared>): string =>
  [
    ...compared.map(({ resource, planned, measured, off, kept }) => {
      const text = shown[resource]
      const percent = `${off < 0 ? "−" : "+"}${Math.abs(Math.round(off * 100))} %`
      return `${names[resource].padEnd(8)} planned ${text(planned)}, measured ${text(measured)}: ${percent}${kept ? "" : ", too far"}`
    }),
    ...validateLeftOut.map((each) => `left out ${each}`)
  ].join("\n")
