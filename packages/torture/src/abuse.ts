import { parseArgs } from "node:util"

import { Servers } from "@atrium/api/testing/load/Servers"
import { endBundler } from "@atrium/sdk/bundle"

import { type Abuse, runAbuse } from "./abuse/AbuseRun.ts"
import type { Counts } from "./abuse/Attacks.ts"
import { type Beside, type HostileProjects, runHostileProjects } from "./abuse/HostileProjects.ts"

// npm run abuse: players of a room go on playing while their service is attacked from all sides, by
// clients and by the code of other projects.

const usage =
  "npm run abuse [-- --seconds N] [--only clients|projects]   N from 5 to 3600, 60 unless said otherwise"

const parts = ["clients", "projects"] as const

interface Wanted {
  readonly seconds: number
  readonly parts: ReadonlyArray<string>
}

/** What the command line asks for, or what is wrong with it. */
const wantedOf = (args: ReadonlyArray<string>): Wanted | string => {
  try {
    const options = { seconds: { type: "string" }, only: { type: "string" } } as const
    const { values } = parseArgs({ args: [...args], options })
    const seconds = Number(values.seconds ?? 60)
    if (!Number.isInteger(seconds) || seconds < 5 || seconds > 3600) {
      return "--seconds must be a whole number from 5 to 3600."
    }
    const wanted = parts.filter((part) => values.only === undefined || values.only === part)
    if (wanted.length === 0) return `--only must be clients or projects, not ${values.only}.`
    return { seconds, parts: wanted }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const countsText = (counts: Counts): string =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(", ")

const clientsReport = ({ quiet, attacked, memoryMiB, ...found }: Abuse): ReadonlyArray<string> => [
  `patches, ms apart    p50 ${quiet.p50.toFixed(1)}, p99 ${quiet.p99.toFixed(1)}, longest ` +
    `${quiet.longest.toFixed(0)}; attacked p50 ${attacked.p50.toFixed(1)}, ` +
    `p99 ${attacked.p99.toFixed(1)} (${(attacked.p99 / quiet.p99).toFixed(2)} x), longest ` +
    `${attacked.longest.toFixed(0)}`,
  `memory, MiB          ${memoryMiB.quiet}; at most ${memoryMiB.peak}; afterwards ${memoryMiB.after}`,
  `a new player         in after ${found.rejoinMs.toFixed(0)} ms`,
  `all attackers gone   after ${(found.recoveredMs / 1000).toFixed(1)} s`,
  ...found.attacks.map(({ name, counts }) => `${name.padEnd(20)} ${countsText(counts)}`)
]

const projectsReport = ({ harmless, hostile }: HostileProjects): ReadonlyArray<string> =>
  Object.entries({ harmless, hostile }).flatMap(([name, beside]: [string, Beside]) => [
    `${`beside ${name}`.padEnd(20)} patches p50 ${beside.quiet.p50.toFixed(1)}, ` +
      `p99 ${beside.quiet.p99.toFixed(1)}, longest ${beside.quiet.longest.toFixed(0)} ms apart; ` +
      `/health at most ${beside.longestStopMs.toFixed(0)} ms; memory at most ${beside.peakMiB} MiB`,
    `${`the ${name} crowd`.padEnd(20)} ${countsText(beside.counts)}`
  ])

const wanted = wantedOf(process.argv.slice(2))
if (typeof wanted === "string") {
  process.stderr.write(`${wanted}\n${usage}\n`)
  process.exit(2)
}
const servers = new Servers()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => void servers.end().finally(() => process.exit(130)))
}
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const faults: Array<string> = []
try {
  const { seconds } = wanted
  if (wanted.parts.includes("clients")) {
    const found = await runAbuse(servers, { seconds, say })
    for (const line of clientsReport(found)) say(line)
    faults.push(...found.faults, ...(found.unsteady === null ? [] : [found.unsteady]))
    await servers.stop()
  }
  if (wanted.parts.includes("projects")) {
    const found = await runHostileProjects(servers, { seconds, say })
    for (const line of projectsReport(found)) say(line)
    faults.push(...found.faults, ...found.unsteady)
  }
  for (const fault of faults) say(`FAULT ${fault}`)
  say(faults.length === 0 ? "abuse: the service held" : "abuse: FAILED")
  if (faults.length > 0) process.exitCode = 1
} finally {
  await servers.end()
  await endBundler()
}
