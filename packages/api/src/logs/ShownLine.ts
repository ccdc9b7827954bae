import { type KeptLine, lineAtMs, type LogLine } from "@atrium/domain/logs/LogLine"
import { isoOf } from "@atrium/domain/shared/IsoText"

/** A kept line as developers read it. */
export const shownLine = ({ lineId, roomId, level, line }: KeptLine): LogLine => ({
  at: isoOf(lineAtMs(lineId)),
  roomId,
  level,
  line
})
