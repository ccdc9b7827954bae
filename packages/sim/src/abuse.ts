import { parseArgs } from "node:util"

import { endBundler } from "@atrium/sdk/bundle"

import { type Abuse, runAbuse } from "./abuse/AbuseRun.ts"
import { Servers } from "./bench/Servers.ts"

// npm run abuse: players of a room go on playing while their service is attacked from all sides.

const usage = "npm run abuse [-- --seconds N]   N from 5 to 3600, 60 unless said otherwise"

/** The length of the attack, or what is wrong with the command line. */
const secondsOf = (args: ReadonlyArray<string>): number | string => {
  try {
    const { values } = parseArgs({ args: [...args], options: { seconds: { type: "string" } } })
    const seconds = Number(values.seconds ?? 60)
    const fits = Number.isInteger(seconds) && seconds >= 5 && seconds <= 3600
    return fits ? seconds : "--seconds must be a whole number from 5 to 3600."
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const report = ({ quiet, attacked, memoryMiB, ...found }: Abuse): ReadonlyArray<string> => [
  `patches, ms apart    p50 ${quiet.p50.toFixed(1)}, p99 ${quiet.p99.toFixed(1)}, longest ` +
    `${quiet.longest.toFixed(0)}; attacked p50 ${attacked.p50.toFixed(1)}, ` +
    `p99 ${attacked.p99.toFixed(1)} (${(attacked.p99 / quiet.p99).toFixed(2)} x), longest ` +
    `${attacked.longest.toFixed(0)}`,
  `memory, MiB          ${memoryMiB.quiet}; at most ${memoryMiB.peak}; afterwards ${memoryMiB.after}`,
  `a new player         in after ${found.rejoinMs.toFixed(0)} ms`,
  `all attackers gone   after ${(found.recoveredMs / 1000).toFixed(1)} s`,
  ...found.attacks.map(({ name, counts }) => {
    const told = Object.entries(counts).map(([what, count]) => `${what} ${count}`)
    return `${name.padEnd(20)} ${told.join(", ")}`
  })
]

const seconds = secondsOf(process.argv.slice(2))
if (typeof seconds === "string") {
  process.stderr.write(`${seconds}\n${usage}\n`)
  process.exit(2)
}
const servers = new Servers()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => void servers.end().finally(() => process.exit(130)))
}
const say = (line: string): void => void process.stdout.write(`${line}\n`)
try {
  const found = await runAbuse(servers, { seconds, say })
  for (const line of report(found)) say(line)
  const faults = [...found.faults, ...(found.unsteady === null ? [] : [found.unsteady])]
  for (const fault of faults) say(`FAULT ${fault}`)
  say(faults.length === 0 ? "abuse: the service held" : "abuse: FAILED")
  if (faults.length > 0) process.exitCode = 1
} finally {
  await servers.end()
  await endBundler()
}
