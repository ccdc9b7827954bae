import type { LogLine } from "@atrium/domain/logs/LogLine"

const levels = ["debug", "info", "warn", "error"] as const

interface Props {
  readonly level: LogLine["level"]
  readonly onLevel: (level: LogLine["level"]) => void
  /** As in the head of a panel. */
  readonly small?: boolean
}

/** The choice of the least level that is shown. */
export const LevelChoice = ({ level, onLevel, small = false }: Props) => (
  <select
    aria-label="Least level"
    class={small ? "small" : undefined}
    value={level}
    onChange={({ currentTarget }) => {
      const next = levels.find((one) => one === currentTarget.value)
      if (next !== undefined) onLevel(next)
    }}
  >
    {levels.map((one) => (
      <option key={one} value={one}>
        {one === "error" ? "error" : `${one} and up`}
      </option>
    ))}
  </select>
)
