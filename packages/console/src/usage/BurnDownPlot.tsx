import { DayMs } from "@atrium/wire/limits/Limit"

import { momentText } from "../text/Times.ts"
import type { BurnDown } from "./BurnDown.ts"

interface Props {
  readonly burn: BurnDown
  readonly startMs: number
  readonly endMs: number
  readonly nowMs: number
}

const [width, height] = [320, 72]

/** What is left of a cap over the period, and where the mean leads. The words beside it say the same. */
export const BurnDownPlot = ({ burn, startMs, endMs, nowMs }: Props) => {
  const { bound, left, perDay, reachedAtMs } = burn
  const x = (atMs: number): number => ((atMs - startMs) / (endMs - startMs)) * width
  const y = (amount: number): number => height - (bound === 0 ? 0 : (amount / bound) * (height - 4))
  const points = left.map(({ atMs, left: amount }) => `${x(atMs)},${y(amount)}`).join(" ")
  const now = left.at(-1)?.left ?? 0
  const toMs = reachedAtMs ?? endMs
  const there = Math.max(0, now - (perDay * (toMs - nowMs)) / DayMs)
  return (
    <svg
      class="burn"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <line x1="0" y1={height} x2={width} y2={height} />
      <line x1={x(nowMs)} y1="0" x2={x(nowMs)} y2={height} />
      <polyline class="burn-left" points={points} />
      <line
        class={reachedAtMs === null ? "burn-ahead" : "burn-ahead bad"}
        x1={x(nowMs)}
        y1={y(now)}
        x2={x(toMs)}
        y2={y(Math.min(bound, there))}
      />
    </svg>
  )
}

/** The day of a moment, as meters count days: in UTC. */
export const dayText = (atMs: number): string => days.format(atMs)
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })

/** The reader's own time of the same moment, for a tooltip. */
export const whenText = (atMs: number): string => `${momentText(atMs, 0)} local`
