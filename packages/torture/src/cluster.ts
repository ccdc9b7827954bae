import { descendantsOf } from "@atrium/api/testing/ProcessTree"
import { numberFlag, wholeFlag } from "@atrium/api/testing/ToolCommand"
import { endBundler } from "@atrium/sdk/bundle"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { type ActKind, ActKinds } from "./cluster/Acts.ts"
import { behindProxy } from "./cluster/BehindProxy.ts"
import { runCluster } from "./cluster/ClusterRun.ts"
import { type ClusterShape, manyRooms, roomsOf, threeRunners } from "./cluster/ClusterShape.ts"
import { type ProxyKind, ProxyKinds } from "./cluster/Proxies.ts"
import { type Row, verdict } from "./cluster/Verdict.ts"

const toldMax = 20

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

interface ClusterInput {
  readonly minutes: number
  readonly only: Option.Option<ActKind>
  readonly runners: number
  readonly rooms: Option.Option<number>
  readonly behind: Option.Option<ProxyKind>
}

const clusterWith = async (input: ClusterInput): Promise<void> => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      for (const pid of descendantsOf(process.pid)) process.kill(pid, "SIGKILL")
      process.exit(1)
    })
  }
  const rows = await Option.match(input.behind, {
    onNone: (): Promise<ReadonlyArray<Row> | null> => killed(input),
    onSome: (kind) => behindProxy(kind, say)
  })
  await endBundler()
  if (rows === null) return
  for (const { event, measured, goal, met } of rows) {
    say(`  ${met ? "met   " : "MISSED"} ${event}: ${measured} (goal: ${goal})`)
  }
  const passed = rows.every(({ met }) => met)
  say(passed ? "cluster: passed" : "cluster: FAILED")
  if (!passed) process.exitCode = 1
}

const killed = async (input: ClusterInput): Promise<ReadonlyArray<Row>> => {
  const { minutes, only, runners, rooms } = input
  const shape: ClusterShape = Option.match(rooms, {
    onNone: () => ({ ...threeRunners, runners }),
    onSome: (count) => manyRooms(runners, count)
  })
  const usual: ReadonlyArray<ActKind> = Option.isSome(rooms) ? ["kills"] : ActKinds
  const acts = Option.match(only, { onNone: () => usual, onSome: (kind) => [kind] })
  say(
    `cluster: ${runners} runners, ${roomsOf(shape)} rooms, ${minutes} minutes of ${acts.join(", ")}`
  )
  const result = await runCluster({ shape, minutes, acts, say })
  for (const { rule, roomId, what } of result.violations.slice(0, toldMax)) {
    say(`  FAULT ${rule} in ${roomId}: ${what}`)
  }
  return verdict(result)
}

/** `npm run torture -- cluster`: real runners, killed, frozen and restarted while clients play. */
export const cluster = Command.make(
  "cluster",
  {
    minutes: numberFlag("minutes", { least: 0.1, most: 10_000 }).pipe(
      Flag.withDescription("Length of the play (5)"),
      Flag.withDefault(5)
    ),
    only: Flag.Literals("only", [...ActKinds, "kills"]).pipe(
      Flag.withDescription("One kind of act instead of all in turn"),
      Flag.optional
    ),
    runners: wholeFlag("runners", { least: 2, most: 20 }).pipe(
      Flag.withDescription("Runners (3)"),
      Flag.withDefault(3)
    ),
    rooms: wholeFlag("rooms", { least: 10, most: 1_000 }).pipe(
      Flag.withDescription("So many rooms, and kills of one to three runners every 20 s"),
      Flag.optional
    ),
    behind: Flag.Literals("behind", ProxyKinds).pipe(
      Flag.withDescription("Joins through this proxy, held against direct ones; no acts"),
      Flag.optional
    )
  },
  (input) => Effect.promise(() => clusterWith(input))
).pipe(
  Command.withDescription(
    "Kill, freeze and restart real runners; hold the result against the goals"
  )
)
