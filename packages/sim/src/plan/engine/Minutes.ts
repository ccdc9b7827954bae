import { DayMs, MinuteMs } from "@atrium/wire/limits/Limit"

/** What is known of each minute of the period. */
export const Columns = [
  "roomsAwake",
  "sockets",
  "joinsPerSecond",
  "startingJoinsPerSecond",
  "wakesPerSecond",
  "cpuCores",
  "serviceCores",
  "memoryBytes",
  "writesPerSecond",
  "egressBytesPerSecond"
] as const
export type Column = (typeof Columns)[number]

/** Means of each minute, a column for each figure. */
export class Minutes {
  readonly columns: Record<Column, Float64Array>
  /** Minutes that are over. */
  count = 0

  constructor(days: number) {
    const empty = () => new Float64Array((days * DayMs) / MinuteMs)
    this.columns = {
      roomsAwake: empty(),
      sockets: empty(),
      joinsPerSecond: empty(),
      startingJoinsPerSecond: empty(),
      wakesPerSecond: empty(),
      cpuCores: empty(),
      serviceCores: empty(),
      memoryBytes: empty(),
      writesPerSecond: empty(),
      egressBytesPerSecond: empty()
    }
  }

  close(minute: Record<Column, number>): void {
    for (const column of Columns) this.columns[column][this.count] = minute[column]
    this.count += 1
  }
}
