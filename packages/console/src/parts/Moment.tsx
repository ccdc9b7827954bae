import { now } from "../service/Reads.ts"
import { awayText, momentText, utcText } from "../text/Times.ts"

interface Props {
  /** ISO 8601, or Unix milliseconds; `null` = there is none. */
  readonly at: string | number | null | undefined
  /** What stands where there is none. */
  readonly none?: string
  /** How it is written: how long ago, or the time of the day. */
  readonly as?: "away" | "time"
}

/** A moment in the reader's time zone; its tooltip shows the same moment in UTC. */
export const Moment = ({ at, none = "never", as = "away" }: Props) => {
  const atMs = typeof at === "string" ? Date.parse(at) : at
  if (atMs === null || atMs === undefined || Number.isNaN(atMs)) {
    return <span class="faint">{none}</span>
  }
  const nowMs = now.value
  const local = momentText(atMs, nowMs)
  const text = as === "away" ? awayText(atMs, nowMs) : local
  return (
    <time dateTime={new Date(atMs).toISOString()} title={`${local} local, ${utcText(atMs)}`}>
      {text}
    </time>
  )
}
