import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import type { AlarmAt } from "../host/RoomReports.ts"

const utf8 = new TextEncoder()

/** The alarms that a room has set. Names are unique; setting one again moves it. */
export class Alarms {
  readonly #set = new Map<string, AlarmAt>()
  readonly #onChange: () => void

  constructor(alarms: ReadonlyArray<AlarmAt>, onChange: () => void) {
    for (const alarm of alarms) this.#set.set(alarm.name, alarm)
    this.#onChange = onChange
  }

  /** Errors: `RangeError` that names the alarm, past a limit or not a time. */
  set(name: string, atMs: number): void {
    this.#put({ name, atMs })
  }

  /** The same period again changes nothing. Errors: as `set`. */
  repeat(name: string, everyMs: number, nowMs: number): void {
    const least = RuntimeLimits.alarmEvery.ms
    if (!(everyMs >= least))
      throw new RangeError(`alarm ${name}: every ${everyMs} ms is not at least ${least} ms`)
    if (this.#set.get(name)?.everyMs !== everyMs)
      this.#put({ name, atMs: nowMs + everyMs, everyMs })
  }

  #put(alarm: AlarmAt): void {
    const { name, atMs } = alarm
    const bytes = typeof name === "string" ? utf8.encode(name).length : 0
    if (bytes < 1 || bytes > RuntimeLimits.alarmNameBytes.max) {
      throw new RangeError(
        `alarm: a name of ${bytes} bytes is not 1 to ${RuntimeLimits.alarmNameBytes.max}`
      )
    }
    if (!Number.isFinite(atMs)) throw new RangeError(`alarm ${name}: ${String(atMs)} is not a time`)
    if (!this.#set.has(name) && this.#set.size >= RuntimeLimits.alarms.max) {
      throw new RangeError(`alarm ${name}: ${RuntimeLimits.alarms.max} are set already`)
    }
    this.#set.set(name, alarm)
    this.#onChange()
  }

  clear(name: string): boolean {
    const had = this.#set.delete(name)
    if (had) this.#onChange()
    return had
  }

  /** Takes out what is due, earliest first. Of an alarm that repeats the next time is set. */
  takeDue(nowMs: number): ReadonlyArray<string> {
    const due = this.list().filter(({ atMs }) => atMs <= nowMs)
    for (const { name, atMs, everyMs } of due) {
      if (everyMs === undefined) this.#set.delete(name)
      else this.#set.set(name, { name, atMs: after({ atMs, everyMs }, nowMs), everyMs })
    }
    if (due.length > 0) this.#onChange()
    return due.map(({ name }) => name)
  }

  earliestMs(): number | null {
    return this.list()[0]?.atMs ?? null
  }

  /** By time, then by name. */
  list(): ReadonlyArray<AlarmAt> {
    return [...this.#set.values()].sort((a, b) => a.atMs - b.atMs || (a.name < b.name ? -1 : 1))
  }
}

/** The first time of a row of times that is past now. */
const after = ({ atMs, everyMs }: Required<Omit<AlarmAt, "name">>, nowMs: number): number =>
  atMs + everyMs * (Math.floor((nowMs - atMs) / everyMs) + 1)
