import { sleep } from "@atrium/api/testing/load/Tasks"

import { type FaultKind, type PlannedRound, planFaults } from "./FaultPlan.ts"
import {
  backWithinMs,
  type CallKind,
  judgeRoom,
  longestSilence,
  type RoomHistory,
  type Violation
} from "./Ledger.ts"
import { LedgerClient } from "./LedgerClient.ts"
import { readLedger } from "./ReadLedger.ts"
import { Victim } from "./Victim.ts"

export interface KillsOptions {
  readonly seed: number
  readonly rounds: number
  readonly roundMs: number
  say(line: string): void
}

export interface KillsResult {
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>
  readonly attempts: number
  readonly acknowledged: Readonly<Partial<Record<CallKind, number>>>
  /** Acknowledged without `durable`, and lost. */
  readonly lostPlain: number
  readonly lines: number
  readonly longestSilenceMs: number
  readonly refusals: Readonly<Record<string, number>>
  readonly violations: ReadonlyArray<Violation>
  /** Faults of the service: things that it did and must not do. */
  readonly complaints: ReadonlyArray<string>
}

const roomsPerRound = 4
/** Rooms without durable calls: they may lose the most. */
const plainRoomsPerRound = 1
const clientsPerRoom = 4
/** Time to get everything acknowledged after the last fault. */
const finishWithinMs = 40_000

/** Rounds of play with faults; after each, every room wakes and is compared with the ledger. */
export const runKills = async (options: KillsOptions): Promise<KillsResult> => {
  const { say } = options
  const victim = await Victim.start()
  const rounds: Array<RoundResult> = []
  try {
    for (const [at, plan] of planFaults(options).entries()) {
      const round = await playRound(victim, { plan, number: at + 1, roundMs: options.roundMs })
      rounds.push(round)
      say(`round ${at + 1} of ${options.rounds}: ${roundText(round)}`)
    }
  } finally {
    await victim.end()
  }
  return {
    faults: sumOf(rounds.map((round) => round.faults)),
    attempts: rounds
      .flatMap(({ histories }) => histories)
      .reduce((sum, { attempts }) => sum + attempts.length, 0),
    acknowledged: sumOf(rounds.map(acknowledgedIn)),
    lostPlain: rounds.reduce((sum, round) => sum + lostIn(round), 0),
    lines: rounds.reduce((sum, round) => sum + linesIn(round), 0),
    longestSilenceMs: Math.max(0, ...rounds.map((round) => round.longestSilenceMs)),
    refusals: sumOf(rounds.map((round) => round.refusals)),
    violations: rounds.flatMap((round) => round.violations),
    complaints: victim.complaints
  }
}

interface RoundResult {
  readonly faults: Readonly<Record<string, number>>
  readonly histories: ReadonlyArray<RoomHistory>
  readonly refusals: Readonly<Record<string, number>>
  readonly longestSilenceMs: number
  readonly violations: ReadonlyArray<Violation>
}

interface RoundOptions {
  readonly plan: PlannedRound
  readonly number: number
  readonly roundMs: number
}

const playRound = async (victim: Victim, { plan, number }: RoundOptions): Promise<RoundResult> => {
  const { url, project } = victim
  const roomIds = Array.from({ length: roomsPerRound }, (_, at) => `ledger-${number}-${at + 1}`)
  const clients = roomIds.flatMap((roomId, room) =>
    Array.from({ length: clientsPerRoom }, (_, at) => {
      const durable = room >= plainRoomsPerRound
      return new LedgerClient(at + 1, { url, project, roomId, durable })
    })
  )
  const firstIncident = victim.incidents.length
  const faults: Record<string, number> = {}
  let over = false
  let stopAtMs = Number.POSITIVE_INFINITY
  const until = { isOver: () => over, mustStop: () => performance.now() > stopAtMs }
  const working = Promise.all(clients.map((client) => client.work(until)))
  for (const fault of plan.faults) {
    await sleep(fault.afterMs)
    await victim.strike(fault, () => clients[Math.floor(fault.pick * clients.length)]?.cut())
    faults[fault.kind] = (faults[fault.kind] ?? 0) + 1
  }
  over = true
  stopAtMs = performance.now() + finishWithinMs
  await working
  await victim.strike({ kind: plan.ending, afterMs: 0, pick: 0 }, () => undefined)
  faults[plan.ending] = (faults[plan.ending] ?? 0) + 1
  await Promise.all(clients.map((client) => client.leave()))
  await victim.calm()
  const endedAtMs = performance.now()
  const incidents = victim.incidents.slice(firstIncident)
  const violations: Array<Violation> = []
  const histories: Array<RoomHistory> = []
  for (const roomId of roomIds) {
    const attempts = clients.filter((client) => client.roomId === roomId).flatMap((c) => c.attempts)
    const lines = await readLedger(
      { url: victim.url, project: victim.project, roomId },
      backWithinMs
    ).catch((error: unknown) => {
      violations.push({ rule: "silence", roomId, what: `it does not wake: ${String(error)}` })
      return null
    })
    if (lines === null) continue
    const history = { roomId, attempts, incidents, lines, endedAtMs }
    histories.push(history)
    violations.push(...judgeRoom(history))
  }
  const silences = clients.map((client) => longestSilence(client.attempts, incidents, endedAtMs))
  return {
    faults,
    histories,
    refusals: sumOf(clients.map((client) => Object.fromEntries(client.refusals))),
    longestSilenceMs: Math.max(...silences),
    violations
  }
}

const acknowledgedIn = ({ histories }: RoundResult): Readonly<Record<string, number>> =>
  sumOf(
    histories
      .flatMap(({ attempts }) => attempts)
      .filter(({ answer }) => answer !== null)
      .map(({ kind }) => ({ [kind]: 1 }))
  )

const linesIn = ({ histories }: RoundResult): number =>
  histories.reduce((sum, { lines }) => sum + lines.length, 0)

const lostIn = ({ histories }: RoundResult): number =>
  histories
    .map(({ attempts, lines }) => {
      const held = new Set(lines.map(({ client, ticket }) => `${client}#${ticket}`))
      return attempts.filter(
        ({ answer, kind, client, ticket }) =>
          answer !== null && kind === "plain" && !held.has(`${client}#${ticket}`)
      ).length
    })
    .reduce((sum, lost) => sum + lost, 0)

const sumOf = (
  records: ReadonlyArray<Readonly<Record<string, number>>>
): Readonly<Record<string, number>> => {
  const sum: Record<string, number> = {}
  for (const record of records) {
    for (const [key, count] of Object.entries(record)) sum[key] = (sum[key] ?? 0) + count
  }
  return sum
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, count]) => `${key} ${count}`)
    .join(", ")

const roundText = (round: RoundResult): string =>
  `${countsText(round.faults)}; acknowledged: ${countsText(acknowledgedIn(round))}; ` +
  `${lostIn(round)} plain lost; ${round.violations.length} violations`

/** The result for people. */
export const killsReport = (result: KillsResult): ReadonlyArray<string> => [
  `faults: ${countsText(result.faults)}`,
  `${result.attempts} attempts, acknowledged: ${countsText(result.acknowledged)}; ${result.lines} lines checked`,
  `acknowledged without durable and lost: ${result.lostPlain}`,
  `longest wait of a client after a fault: ${(result.longestSilenceMs / 1000).toFixed(1)} s`,
  `instead of an answer: ${countsText(result.refusals)}`
]
