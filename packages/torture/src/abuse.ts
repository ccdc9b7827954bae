import { Servers } from "@atrium/api/testing/load/Servers"
import { wholeFlag } from "@atrium/api/testing/ToolCommand"
import { endBundler } from "@atrium/sdk/bundle"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { type Abuse, runAbuse } from "./abuse/AbuseRun.ts"
import type { Counts } from "./abuse/Attacks.ts"
import { type Beside, type HostileProjects, runHostileProjects } from "./abuse/HostileProjects.ts"

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

interface AbuseInput {
  readonly seconds: number
  readonly only: Option.Option<"clients" | "projects">
}

const abuseWith = async ({ seconds, only }: AbuseInput): Promise<void> => {
  const servers = new Servers()
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void servers.end().finally(() => process.exit(130)))
  }
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const faults: Array<string> = []
  const part = Option.getOrNull(only)
  try {
    if (part !== "projects") {
      const found = await runAbuse(servers, { seconds, say })
      for (const line of clientsReport(found)) say(line)
      faults.push(...found.faults, ...(found.unsteady === null ? [] : [found.unsteady]))
      await servers.stop()
    }
    if (part !== "clients") {
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
}

/**
 * `npm run abuse`: players of a room go on playing while clients, and the code of other projects, attack
 * their service.
 */
export const abuse = Command.make(
  "abuse",
  {
    seconds: wholeFlag("seconds", { least: 5, most: 3600 }).pipe(
      Flag.withDescription("Length of each attack (60)"),
      Flag.withDefault(60)
    ),
    only: Flag.Literals("only", ["clients", "projects"]).pipe(
      Flag.withDescription("One kind of attacker instead of both"),
      Flag.optional
    )
  },
  (input) => Effect.promise(() => abuseWith(input))
).pipe(Command.withDescription("Attack a service, and watch the players beside the attack"))
