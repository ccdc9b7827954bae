import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"

import { fieldsOf, notOfForm } from "../client/OpenEndpoints.ts"

/** One chunk of a replay. Moments are milliseconds after the replay's start. */
export interface ChunkFacts {
  readonly fromMs: number
  /** Not after the start of the next one. */
  readonly toMs: number
}

/** What the service says of a replay. Source: D-57. */
export interface ReplayFacts {
  readonly roomId: string
  readonly type: string
  /** Version of the deployment that the room ran. */
  readonly version: number
  readonly kind: "clip" | "recording"
  readonly startedAt: Date
  readonly expiresAt: Date
  /** Of the room's type; not looked at yet. */
  readonly descriptor: unknown
  /** In their order; at least one. */
  readonly chunks: ReadonlyArray<ChunkFacts>
}

/** Reads what the service answers. Errors: `RequestError` for an answer of another form. */
export const readReplayFacts = (path: string, body: unknown): ReplayFacts => {
  const { roomId, type, version, kind, startedAt, expiresAt, descriptor, chunks } = fieldsOf(body)
  const [from, until] = [startedAt, expiresAt].map(
    (moment) => new Date(typeof moment === "string" ? moment : Number.NaN)
  )
  if (
    typeof roomId !== "string" ||
    typeof type !== "string" ||
    typeof version !== "number" ||
    (kind !== "clip" && kind !== "recording") ||
    !isMoment(from) ||
    !isMoment(until)
  ) {
    throw notOfForm(path)
  }
  return {
    roomId,
    type,
    version,
    kind,
    startedAt: from,
    expiresAt: until,
    descriptor,
    chunks: chunksIn(path, chunks)
  }
}

const isMoment = (date: Date | undefined): date is Date =>
  date !== undefined && !Number.isNaN(date.getTime())

/** Chunks of runners whose clocks differ may overlap: each ends where the next one begins. */
const chunksIn = (path: string, rows: unknown): ReadonlyArray<ChunkFacts> => {
  if (!Array.isArray(rows) || rows.length === 0) throw notOfForm(path)
  if (rows.length > ReplayLimits.recordingChunks.max) throw notOfForm(path)
  let before = 0
  const spans = rows.map((row, place) => {
    const { index, fromMs, toMs } = fieldsOf(row)
    if (index !== place || !isSpan(fromMs) || !isSpan(toMs)) throw notOfForm(path)
    before = Math.max(before, fromMs)
    return { fromMs: before, toMs: Math.max(before, toMs) }
  })
  return spans.map(({ fromMs, toMs }, place) => ({
    fromMs,
    toMs: Math.min(toMs, spans[place + 1]?.fromMs ?? toMs)
  }))
}

const isSpan = (ms: unknown): ms is number =>
  typeof ms === "number" && Number.isSafeInteger(ms) && ms >= 0
