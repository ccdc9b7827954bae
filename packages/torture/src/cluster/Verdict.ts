import type { Attempt } from "../soak/Ledger.ts"
import { type Act, type ActKind, frozenMs } from "./Acts.ts"
import type { ClusterResult, ToldRoom } from "./ClusterRun.ts"

/** One row of the table of goals: what was measured, and whether that is within the goal. */
export interface Row {
  readonly event: string
  readonly measured: string
  readonly goal: string
  readonly met: boolean
}

/** An answer of a room that runs may take so long on a busy machine. */
const steadyMs = 1_500

/** The rows of the table of goals that this run can tell something of. */
export const verdict = (result: ClusterResult): ReadonlyArray<Row> => [
  promises(result),
  ...rowOf(result, "postgres", postgresRow),
  ...rowOf(result, "kill", killRow),
  ...rowOf(result, "kills", killsRow),
  ...rowOf(result, "kill", joinRow),
  ...rowOf(result, "freeze", freezeRow),
  ...rowOf(result, "drain", closesRow),
  ...rowOf(result, "drain", endRow("SIGTERM")),
  ...rowOf(result, "freeze", endRow("SIGTERM after a freeze")),
  othersRow(result)
]

/** An act and the span until the next one. */
interface Span {
  readonly act: Act
  readonly endsAtMs: number
}

interface Judged {
  readonly spans: ReadonlyArray<Span>
  readonly rooms: ReadonlyArray<ToldRoom>
}

const rowOf = (
  { acts, rooms }: ClusterResult,
  kind: ActKind,
  row: (judged: Judged) => Row
): ReadonlyArray<Row> => {
  const spans = acts.flatMap((act, at) => {
    const endsAtMs = acts[at + 1]?.atMs ?? Number.POSITIVE_INFINITY
    return act.kind === kind ? [{ act, endsAtMs }] : []
  })
  return spans.length === 0 ? [] : [row({ spans, rooms })]
}

const promises = ({ violations, orphans }: ClusterResult): Row => {
  const silent = violations.filter(({ rule }) => rule === "silence").length
  const twice = violations.filter(({ rule }) => rule === "twice").length
  const lost = violations.length - silent - twice
  return {
    event: "every act",
    measured: `${lost} broken promises, ${twice} rooms twice, ${silent} clients left alone, ${orphans} orphan sockets`,
    goal: "0, 0, 0, 0",
    met: violations.length + orphans === 0
  }
}

const postgresRow = ({ spans, rooms }: Judged): Row => {
  const closed = spans.flatMap((span) => rooms.flatMap((room) => dropsIn(room, span)))
  return {
    event: "PostgreSQL away for up to 5 s",
    measured: `${closed.length} of ${rooms.length * spans.length} rooms had a client closed`,
    goal: "0",
    met: closed.length === 0
  }
}

const killRow = (judged: Judged): Row => {
  const { there, p99, disturbed, measured } = killed(judged)
  return {
    event: "kill -9 of a runner",
    measured,
    goal: "p99 at most 5 s; 0",
    // A runner without rooms would say nothing.
    met: there > 0 && p99 <= 5_000 && disturbed === 0
  }
}

/** Hundreds of rooms that start at once take as long as the machine does: what counts is the row of every act. */
const killsRow = (judged: Judged): Row => {
  const { there, measured } = killed(judged)
  return {
    event: "kill -9 of one to three runners at once",
    measured,
    goal: "reported",
    met: there > 0
  }
}

const killed = ({ spans, rooms }: Judged) => {
  const away = spans.map((span) => rooms.flatMap((room) => awayMs(room, span)))
  const moved = away.flat()
  const p99 = percentile(moved, 0.99)
  // A client of a room elsewhere may have come through the runner: it is back through another one at once.
  const disturbed = spans.reduce(
    (sum, { act }, at) => sum + Math.max(0, (away[at]?.length ?? 0) - act.rooms),
    0
  )
  const there = spans.reduce((sum, { act }) => sum + act.rooms, 0)
  const measured =
    `${there} rooms there, ${moved.length} away for more than ${seconds(steadyMs)}: ` +
    `p50 ${seconds(percentile(moved, 0.5))}, p99 ${seconds(p99)}, ` +
    `longest ${seconds(Math.max(0, ...moved))}; ${disturbed} rooms of other runners disturbed`
  return { there, p99, disturbed, measured }
}

/** The killed runner joins again. */
const joinRow = ({ spans, rooms }: Judged): Row => {
  const moved = spans.flatMap((span) =>
    rooms.filter((room) => silences(room, span).some(({ fromMs }) => !isAt(fromMs, span)))
  )
  return {
    event: "a runner joins",
    measured: `${moved.length} of ${rooms.length * spans.length} rooms were silent for a while`,
    goal: "0",
    met: moved.length === 0
  }
}

const freezeRow = ({ spans, rooms }: Judged): Row => {
  const stale = spans
    .flatMap(({ act }) => rooms.map((room) => staleAnswers(room, act)))
    .reduce((sum, each) => sum + each, 0)
  const moved = spans.flatMap((span) => rooms.flatMap((room) => awayMs(room, span)))
  return {
    event: "SIGSTOP 20 s, SIGCONT",
    measured: `${stale} answers of a stale process; ${moved.length} rooms away, p99 ${seconds(percentile(moved, 0.99))}`,
    goal: "0",
    met: stale === 0
  }
}

const closesRow = ({ spans, rooms }: Judged): Row => {
  const drops = spans.map((span) => rooms.flatMap((room) => dropsIn(room, span)))
  const all = drops.flat()
  const beyond = spans.reduce(
    (sum, { act }, at) => sum + Math.max(0, (drops[at]?.length ?? 0) - act.sockets),
    0
  )
  const backs = all.flatMap(({ atMs, back }) => (back === null ? [] : [back.atMs - atMs]))
  const anew = all.filter(({ back }) => back?.sameSession !== true).length
  const p99 = percentile(backs, 0.99)
  const sockets = spans.reduce((sum, { act }) => sum + act.sockets, 0)
  return {
    event: "clients of a runner that drains",
    measured:
      `${all.length} closes for ${sockets} clients there, ${beyond} more than one each; ` +
      `back p50 ${seconds(percentile(backs, 0.5))}, p99 ${seconds(p99)}; ${anew} not in the same session`,
    goal: "one close each, back within 1 s p99, in the same session",
    met: beyond === 0 && anew === 0 && p99 <= 1_000 && all.every(({ code }) => code === 1012)
  }
}

const endRow =
  (event: string) =>
  ({ spans }: Judged): Row => {
    const ends = spans.flatMap(({ act: { end } }) => (end === null ? [] : [end]))
    const ms = Math.max(0, ...ends.map((end) => end.ms))
    const lines = Math.max(0, ...ends.map((end) => end.lines.length))
    const codes = ends.map(({ code }) => code).join(", ")
    return {
      event,
      measured: `at most ${seconds(ms)} and ${lines} lines, exit codes ${codes}`,
      goal: "at most 10 s, fewer than 100 lines",
      met: ms <= 10_000 && lines < 100
    }
  }

const othersRow = ({ acts }: ClusterResult): Row => {
  const others = acts.filter(({ othersReady }) => !othersReady)
  // Up to three runners that start at once, beside all that moves, leave the others no time to answer on one machine.
  const judged = others.filter(({ kind }) => kind !== "kills")
  return {
    event: "/ready of the other runners",
    measured: `not ready during ${others.length} of ${acts.length} acts`,
    goal: acts.every(({ kind }) => kind === "kills") ? "reported" : "0",
    met: judged.length === 0
  }
}

/** Spans in which a client asked in vain for longer than a busy machine takes, and which end after the act began. */
const silences = ({ attempts }: ToldRoom, { act, endsAtMs }: Span) => {
  const moments = answersOf(attempts)
    .map(({ atMs }) => atMs)
    .toSorted((one, other) => one - other)
  return moments.flatMap((toMs, at) => {
    const fromMs = moments[at - 1] ?? toMs
    const here = toMs - fromMs > steadyMs && toMs >= act.atMs && fromMs < endsAtMs
    const long = here && toMs - fromMs > steadyMs + pausedMs(attempts, { fromMs, toMs })
    return long ? [{ fromMs, toMs }] : []
  })
}

/** How long nobody had asked: a client that does not ask is not answered. */
const pausedMs = (
  attempts: ReadonlyArray<Attempt>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }
): number => {
  const first = attempts.find(({ sentAtMs }) => sentAtMs > fromMs && sentAtMs <= toMs)
  return first === undefined ? 0 : first.sentAtMs - fromMs
}

const isAt = (fromMs: number, { act }: Span): boolean => fromMs <= act.atMs + steadyMs

/** The spans after an act in which no client of a room was answered; empty = all were answered. */
const awayMs = (room: ToldRoom, span: Span): ReadonlyArray<number> =>
  silences(room, span)
    .filter(({ fromMs }) => isAt(fromMs, span))
    .map(({ fromMs, toMs }) => toMs - Math.max(fromMs, Math.min(span.act.atMs, toMs)))
    .slice(0, 1)

const dropsIn = ({ drops }: ToldRoom, { act, endsAtMs }: Span) =>
  drops.filter(({ atMs }) => atMs >= act.atMs && atMs < endsAtMs)

/**
 * Answers after a runner went on by a process that it had before it stood still, in rooms that nobody
 * answered meanwhile: no other runner can know of them.
 */
const staleAnswers = ({ coded, attempts }: ToldRoom, act: Act): number => {
  if (!coded) return 0
  const goesOnAtMs = act.atMs + frozenMs
  const given = answersOf(attempts)
  const during = given.some(
    ({ atMs }) => atMs > act.atMs + steadyMs && atMs < act.atMs + frozenMs / 4
  )
  if (during) return 0
  const old = new Set(given.filter(({ atMs }) => atMs < act.atMs).map(({ boot }) => boot))
  return given.filter(({ atMs, boot }) => atMs >= goesOnAtMs && old.has(boot)).length
}

const answersOf = (attempts: ReadonlyArray<Attempt>) =>
  attempts.flatMap(({ answer }) => (answer === null ? [] : [answer]))

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
