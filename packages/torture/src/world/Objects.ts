import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"

import { newerFirst, type StoredObject } from "./StoredRoom.ts"

/** The stored objects of rooms, and the index of their alarms: each method is one statement. */
export class Objects {
  readonly #rooms = new Map<string, Map<string, StoredObject>>()
  /** When each room's next alarm is due. See actors/store/AlarmStore.ts. */
  readonly alarmsDue = new Map<string, number>()

  of(key: string): ReadonlyMap<string, StoredObject> {
    return this.#rooms.get(key) ?? new Map<string, StoredObject>()
  }

  put(key: string, name: string, object: StoredObject): void {
    const objects = this.#rooms.get(key) ?? new Map<string, StoredObject>()
    objects.set(name, object)
    this.#rooms.set(key, objects)
  }

  delete(key: string, names: ReadonlyArray<string>): void {
    const objects = this.#rooms.get(key)
    for (const name of names) objects?.delete(name)
    if (objects?.size === 0) this.#rooms.delete(key)
  }

  /** Names of a version's generations past the newest that are kept. */
  expired(key: string, prefix: string): ReadonlyArray<string> {
    return [...this.of(key)]
      .filter(([name]) => name.startsWith(prefix))
      .sort(([, one], [, other]) => newerFirst(one, other))
      .slice(RoomLimits.saveGenerations.max)
      .map(([name]) => name)
  }

  /** `settle` in AlarmStore.ts. */
  settle(key: string, nextMs: number, nowMs: number): void {
    const dueMs = this.alarmsDue.get(key)
    if (dueMs === undefined) this.alarmsDue.set(key, nextMs)
    else if (nextMs > nowMs) this.alarmsDue.set(key, Math.min(dueMs, nextMs))
  }

  /** `postpone` in AlarmStore.ts. */
  postpone(key: string, span: { readonly nowMs: number; readonly untilMs: number }): void {
    const dueMs = this.alarmsDue.get(key)
    if (dueMs !== undefined && dueMs <= span.nowMs) this.alarmsDue.set(key, span.untilMs)
  }

  /** `due` in AlarmStore.ts. */
  due(nowMs: number): ReadonlyArray<string> {
    return [...this.alarmsDue]
      .filter(([, dueMs]) => dueMs <= nowMs)
      .sort(([, one], [, other]) => one - other)
      .slice(0, RoomLimits.alarmsPerLook.max)
      .map(([key]) => key)
  }
}
