import type { LogLine } from "@atrium/domain/logs/LogLine"

import type { StreamEvent } from "../service/EventReader.ts"

/** A line of a log, or a place where lines are left out. */
export type LogEntry =
  | {
      readonly _tag: "Line"
      readonly key: string
      readonly at: string
      readonly roomId: string
      readonly level: LogLine["level"]
      readonly line: string
    }
  | { readonly _tag: "Missed"; readonly key: string; readonly lines: number | null }

/** A browser lays out no more in time. */
const entriesMax = 500

/**
 * Adds the lines of a tail; the oldest go. A tail that resumes tells the last seconds again: a line that is there is
 * left out. Source: C-424.
 */
export const withEvents = (
  entries: ReadonlyArray<LogEntry>,
  events: ReadonlyArray<StreamEvent>
): ReadonlyArray<LogEntry> => {
  const known = new Set(entries.map(({ key }) => key))
  const added = events
    .flatMap((event, at) => entryOf(event, `${entries.at(-1)?.key ?? ""}.${at}`))
    .filter(({ key }) => !known.has(key))
  return added.length === 0 ? entries : [...entries, ...added].slice(-entriesMax)
}

/** @param place tells apart what has no id */
const entryOf = ({ event, data, id }: StreamEvent, place: string): ReadonlyArray<LogEntry> => {
  if (event === "line") {
    // The contract of the tail says what a line is. Source: C-766.
    const { at, roomId, level, line }: LogLine = JSON.parse(data)
    return [{ _tag: "Line", key: id ?? place, at, roomId, level, line }]
  }
  if (event !== "missed") return []
  const { lines }: { readonly lines: number | null } = JSON.parse(data)
  return [{ _tag: "Missed", key: `missed ${place}`, lines }]
}
