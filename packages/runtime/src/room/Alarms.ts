import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import type { AlarmAt } from "../host/RoomReports.ts"

const utf8 = new TextEncoder()

/** The alarms that a room has set. Names are unique; setting one again moves it. */
export class Alarms {
  readonly #atMs = new Map<string, number>()
  readonly #onChange: () => void

  constructor(alarms: ReadonlyArray<AlarmAt>, onChange: () => void) {
    for (const { name, atMs } of alarms) this.#atMs.set(name, atMs)
    this.#onChange = onChange
  }

  /** Errors: `RangeError` that names the alarm, past a limit or not a time. */
  set(name: string, atMs: number): void {
    const bytes = typeof name === "string" ? utf8.encode(name).length : 0
    if (bytes < 1 || bytes > RuntimeLimits.alarmNameBytes.max) {
      throw new RangeError(
        `alarm: a name of ${bytes} bytes is not 1 to ${RuntimeLimits.alarmNameBytes.max}`
      )
    }
    if (!Number.isFinite(atMs)) throw new RangeError(`alarm ${name}: ${String(atMs)} is not a time`)
    if (!this.#atMs.has(name) && this.#atMs.size >= RuntimeLimits.alarms.max) {
      throw new RangeError(`alarm ${name}: ${RuntimeLimits.alarms.max} are set already`)
    }
    this.#atMs.set(name, atMs)
    this.#onChange()
  }

  clear(name: string): boolean {
    const had = this.#atMs.delete(name)
    if (had) this.#onChange()
    return had
  }

  /** Takes out what is due, earliest first. */
  takeDue(nowMs: number): ReadonlyArray<string> {
    const due = this.list().filter(({ atMs }) => atMs <= nowMs)
    for (const { name } of due) this.#atMs.delete(name)
    if (due.length > 0) this.#onChange()
    return due.map(({ name }) => name)
  }

  earliestMs(): number | null {
    return this.list()[0]?.atMs ?? null
  }

  /** By time, then by name. */
  list(): ReadonlyArray<AlarmAt> {
    return [...this.#atMs]
      .map(([name, atMs]) => ({ name, atMs }))
      .sort((a, b) => a.atMs - b.atMs || (a.name < b.name ? -1 : 1))
  }
}
