import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"

export type CallKind = "durable" | "plain" | "message"

/** One attempt of a client at one thing that it wants done. Moments are those of the client. */
export interface Attempt {
  readonly client: number
  /** The number of the call: the same in every attempt at it, growing from one call to the next. */
  readonly seq: number
  /** The attempt: never used twice by a client, growing in the order of sending. */
  readonly ticket: number
  readonly kind: CallKind
  readonly sentAtMs: number
  /** The room's answer, if it came; `boot` tells the processes of the room apart. */
  readonly answer: { readonly atMs: number; readonly boot: number } | null
}

/** One line of a room's state, as it is in the end. */
export interface Line {
  readonly client: number
  readonly seq: number
  readonly ticket: number
  readonly kind: string
}

/** Something was done to the service, and was over when the service answered again. */
export interface Incident {
  /** `kill` ends rooms without a last word; `database` keeps them from storing; others are mild. */
  readonly kind: "kill" | "database" | "mild"
  readonly atMs: number
  readonly untilMs: number
}

/** Everything that happened in one room, and what it holds in the end. */
export interface RoomHistory {
  readonly roomId: string
  readonly attempts: ReadonlyArray<Attempt>
  readonly incidents: ReadonlyArray<Incident>
  /** In the order of arrival. */
  readonly lines: ReadonlyArray<Line>
  readonly endedAtMs: number
}

export interface Violation {
  readonly rule:
    | "lostDurable"
    | "lostPlain"
    | "duplicate"
    | "phantom"
    | "order"
    | "silence"
    | "twice"
  readonly roomId: string
  readonly what: string
}

/** Time that storing and answering may take on a busy machine beside what is promised. */
export const slackMs = 2000
/** A client that goes on trying is answered within this span of the last incident. */
export const backWithinMs = 15 * 1000

/** Compares what clients were told with what the room holds. */
export const judgeRoom = (history: RoomHistory): ReadonlyArray<Violation> => [
  ...foreignLines(history),
  ...lostCalls(history),
  ...silences(history)
]

/** Lines that nobody asked for, that stand there twice, or before an earlier one of their client. */
const foreignLines = ({ roomId, attempts, lines }: RoomHistory): ReadonlyArray<Violation> => {
  const asked = new Map(attempts.map((attempt) => [keyOf(attempt), attempt]))
  const seen = new Set<string>()
  const last = new Map<number, number>()
  return lines.flatMap((line): ReadonlyArray<Violation> => {
    const what = textOf(line)
    const attempt = asked.get(keyOf(line))
    if (attempt === undefined || attempt.seq !== line.seq || attempt.kind !== line.kind) {
      return [{ rule: "phantom", roomId, what }]
    }
    if (seen.has(keyOf(line))) return [{ rule: "duplicate", roomId, what }]
    seen.add(keyOf(line))
    const before = last.get(line.client) ?? 0
    last.set(line.client, Math.max(before, line.ticket))
    if (line.ticket > before) return []
    return [{ rule: "order", roomId, what: `${what} after ticket ${before}` }]
  })
}

const lostCalls = (history: RoomHistory): ReadonlyArray<Violation> => {
  const held = new Set(history.lines.map(keyOf))
  const ends = endsOf(history)
  return history.attempts.flatMap((attempt): ReadonlyArray<Violation> => {
    const { answer } = attempt
    if (answer === null || held.has(keyOf(attempt))) return []
    const { roomId } = history
    const what = textOf(attempt)
    if (attempt.kind === "durable") return [{ rule: "lostDurable", roomId, what }]
    const killedAtMs = ends.get(answer.boot) ?? null
    if (killedAtMs === null) {
      return [{ rule: "lostPlain", roomId, what: `${what}: its process was not killed` }]
    }
    const ageMs = killedAtMs - answer.atMs
    const mostMs = ageLimitMs(history, answer.atMs, killedAtMs)
    if (ageMs <= mostMs) return []
    const text = `${what}: acknowledged ${ageMs} ms before the kill, at most ${mostMs} are lost`
    return [{ rule: "lostPlain", roomId, what: text }]
  })
}

/**
 * When each process of the room was killed: the first kill between its last answer and the first of
 * the next one. `null` = there was none, so it ended in order, or it still runs.
 */
const endsOf = ({ attempts, incidents, endedAtMs }: RoomHistory) => {
  const spans = new Map<number, { firstAtMs: number; lastAtMs: number }>()
  for (const { answer } of attempts) {
    if (answer === null) continue
    const span = spans.get(answer.boot) ?? { firstAtMs: answer.atMs, lastAtMs: answer.atMs }
    span.firstAtMs = Math.min(span.firstAtMs, answer.atMs)
    span.lastAtMs = Math.max(span.lastAtMs, answer.atMs)
    spans.set(answer.boot, span)
  }
  const inOrder = [...spans].toSorted(([, one], [, other]) => one.firstAtMs - other.firstAtMs)
  return new Map(
    inOrder.map(([boot, { lastAtMs }], at) => {
      const nextAtMs = inOrder[at + 1]?.[1].firstAtMs ?? endedAtMs
      // An answer may be read a moment after the process that gave it was killed.
      const kill = incidents.find(
        ({ kind, atMs }) => kind === "kill" && atMs >= lastAtMs - slackMs && atMs <= nextAtMs
      )
      return [boot, kill?.atMs ?? null]
    })
  )
}

/** How old a change may be that a kill takes away; longer where the database was away meanwhile. */
const ageLimitMs = ({ incidents }: RoomHistory, fromMs: number, toMs: number): number => {
  const usual = RoomLimits.snapshotEvery.ms + slackMs
  const away = incidents
    .filter(({ kind }) => kind === "database")
    .filter(({ atMs, untilMs }) => untilMs >= fromMs && atMs <= toMs)
  // A snapshot that could not be stored is tried again after the usual span.
  return away.reduce(
    (sum, { atMs, untilMs }) => sum + (untilMs - atMs) + RoomLimits.snapshotEvery.ms,
    usual
  )
}

/** Spans without an answer in which a client waited for one and nothing was wrong any more. */
const silences = ({ roomId, attempts, incidents, endedAtMs }: RoomHistory) => {
  const clients = new Map<number, Array<Attempt>>()
  for (const attempt of attempts) {
    if (attempt.kind === "message") continue
    const own = clients.get(attempt.client) ?? []
    own.push(attempt)
    clients.set(attempt.client, own)
  }
  return [...clients].flatMap(([client, own]): ReadonlyArray<Violation> => {
    const silentMs = longestSilence(own, incidents, endedAtMs)
    if (silentMs <= backWithinMs) return []
    const what = `client ${client} waited ${silentMs} ms, at most ${backWithinMs}`
    return [{ rule: "silence", roomId, what }]
  })
}

/** Milliseconds, counted from the last answer, the last incident's end or the first attempt. */
export const longestSilence = (
  attempts: ReadonlyArray<Attempt>,
  incidents: ReadonlyArray<Incident>,
  endedAtMs: number
): number => {
  const answers = attempts
    .flatMap(({ answer }) => (answer === null ? [] : [answer.atMs]))
    .toSorted((one, other) => one - other)
  const firstAtMs = Math.min(...attempts.map(({ sentAtMs }) => sentAtMs), endedAtMs)
  // The last wait ends when all was answered, or not at all.
  const open = unanswered(attempts)
  const marks = open ? [...answers, endedAtMs] : answers
  let before = firstAtMs
  let longest = 0
  for (const mark of marks) {
    const calmAtMs = incidents
      .filter(({ atMs }) => atMs <= mark)
      .reduce((latest, { untilMs }) => Math.max(latest, Math.min(untilMs, mark)), before)
    longest = Math.max(longest, mark - calmAtMs)
    before = mark
  }
  return longest
}

/** Whether any call of these attempts was never acknowledged. */
const unanswered = (attempts: ReadonlyArray<Attempt>): boolean => {
  const done = new Set(attempts.filter(({ answer }) => answer !== null).map(({ seq }) => seq))
  return attempts.some(({ seq }) => !done.has(seq))
}

const keyOf = ({ client, ticket }: { readonly client: number; readonly ticket: number }) =>
  `${client}#${ticket}`

const textOf = ({ client, seq, ticket, kind }: Line): string =>
  `${kind} ${seq} of client ${client}, ticket ${ticket}`
