import type { LogLine } from "@atrium/domain/logs/LogLine"
import { useSignal } from "@preact/signals"

import { LevelChoice } from "../logs/LevelChoice.tsx"
import { LogTail } from "../logs/LogTail.tsx"

/** The log of a room: its last lines, and each line as it comes. */
export const LogPanel = ({ project, room }: { project: string; room: string }) => {
  const level = useSignal<LogLine["level"]>("debug")
  return (
    <LogTail
      project={project}
      choice={{ room, level: level.value, contains: "" }}
      title="Log"
      ofRoom
      tools={<LevelChoice small level={level.value} onLevel={(next) => (level.value = next)} />}
    />
  )
}
