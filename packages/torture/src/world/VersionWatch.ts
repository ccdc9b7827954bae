import type { PlayState } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { type ProjectId, roomKeyOf } from "@atrium/domain/shared/Ids"

import type { PlayedBundle } from "./Deployments.ts"
import { isThrown, levelOf, onLevel, type PlayedMigration } from "./PlayedSchemas.ts"
import type { SnapshotPut, StoredState } from "./StoredState.ts"
import { Violation } from "./Violation.ts"

/** A stored state on a version, in plain values: led on, given up, or refused by a migration that throws. */
type Led =
  | { readonly state: PlayState; readonly hops: number; readonly back: boolean }
  | { readonly discarded: true }
  | { readonly thrown: true }

/** A start of a room on a version. */
interface VersionStart {
  readonly version: number
  readonly state: PlayState
}

export const noneLed = { led: 0, chained: 0, ledBack: 0, discarded: 0, stayed: 0 }

/**
 * The reference of versions: knows from the bundles alone which migrations a stored state goes through, and compares
 * that with the state that a process gets.
 */
export class VersionWatch {
  /** Counts of comparisons; a batch whose counts are 0 has shown nothing. */
  readonly made = { ...noneLed }
  readonly #stored: StoredState
  /** By room: its last start. */
  readonly #starts = new Map<string, VersionStart>()
  /** Rooms whose last start hangs: that is taken for the fault of their code. */
  readonly #hanging = new Set<string>()
  /** Both by project and version. */
  readonly #ways = new Map<string, ReadonlyArray<number>>()
  readonly #bundles = new Map<string, PlayedBundle>()

  constructor(stored: StoredState) {
    this.#stored = stored
  }

  /** A snapshot that is stored under a version has the level of that version. */
  snapshotPut(room: string, { version, state }: SnapshotPut): void {
    this.#isOf(room, { version, state: state() }, "is stored")
  }

  /** The state is the newest one that is stored, led through every version between. */
  started(room: string, start: VersionStart): void {
    const { version, state } = start
    this.#starts.set(room, start)
    this.#hanging.delete(room)
    const { projectId } = roomKeyOf(room)
    const from = this.#newest(room)
    const led = from === null ? null : this.#led(room, from, version)
    if (led !== null && "thrown" in led) {
      throw new Violation("led", `${room} starts on version ${version}, whose migrations throw`)
    }
    const isFresh = led === null || "discarded" in led
    const expected = isFresh ? onLevel([], this.#level(projectId, version)) : led.state
    if (JSON.stringify(state) !== JSON.stringify(expected)) {
      const [has, wants] = [state, expected].map((each) => JSON.stringify(each))
      throw new Violation("led", `${room} has ${has} on version ${version} and not ${wants}`)
    }
    this.#isOf(room, { version, state }, "is played")
    if (led === null || !("state" in led) || led.hops === 0) return
    this.made.led++
    if (led.hops > 1) this.made.chained++
    if (led.back) this.made.ledBack++
  }

  /** A snapshot is removed with its room, or given up as the room starts. */
  snapshotRemoved(room: string): void {
    if (this.#stored.row(room)?.state._tag !== "Deleting") this.made.discarded++
  }

  #newest(room: string): VersionStart | null {
    const version = this.#stored.newestVersion(room)
    return version === null ? null : { version, state: this.#stored.newest(room) }
  }

  #isOf(room: string, { version, state }: VersionStart, does: string): void {
    const level = this.#level(roomKeyOf(room).projectId, version)
    if (levelOf(state) === level) return
    const what = `state of level ${levelOf(state)}`
    throw new Violation("led", `${room} ${does} on version ${version}, of ${level}, with ${what}`)
  }

  /** Whether a room that is up may be on an older version: this one did not lead on what it has started with. */
  mayStay(room: string, version: number): boolean {
    const from = this.#starts.get(room)
    return this.#hanging.has(room) || (from !== undefined && this.#isThrown(room, from, version))
  }

  #isThrown(room: string, from: VersionStart, version: number): boolean {
    const { projectId } = roomKeyOf(room)
    const stays =
      this.#bundle(projectId, version).broken || "thrown" in this.#led(room, from, version)
    if (stays) this.made.stayed++
    return stays
  }

  hangs(room: string): void {
    this.#hanging.add(room)
  }

  /** A room is in quarantine for its state alone. */
  quarantined(room: string, version: number): void {
    const from = this.#newest(room)
    if (this.#hanging.has(room) || from === null || this.#isThrown(room, from, version)) return
    throw new Violation(
      "led",
      `${room} is in quarantine, and version ${version} leads its state on`
    )
  }

  lastStart(room: string): number | null {
    return this.#starts.get(room)?.version ?? null
  }

  #bundle(project: ProjectId, version: number): PlayedBundle {
    const key = `${project}/${version}`
    const bundle = this.#bundles.get(key) ?? this.#stored.bundle(project, version)
    if (bundle === null) throw new Error(`${project} has no version ${version}`)
    this.#bundles.set(key, bundle)
    return bundle
  }

  #level(project: ProjectId, version: number): number {
    return this.#bundle(project, version).stores?.schema.level ?? 0
  }

  /** The levels through which a version leads from the one before: a rollback goes back through all between. */
  #levelsOf(project: ProjectId, version: number): ReadonlyArray<number> {
    const key = `${project}/${version}`
    const known = this.#ways.get(key)
    if (known !== undefined) return known
    const { number } = this.#bundle(project, version)
    const older = range(1, version - 1).toReversed()
    const target = older.find((each) => this.#bundle(project, each).number === number)
    const undone = target === undefined ? [] : range(target + 1, version - 1).toReversed()
    const back = undone.flatMap((each) => [
      ...this.#levelsOf(project, each).slice(0, -1).toReversed(),
      this.#level(project, each - 1)
    ])
    const way = target === undefined ? [this.#level(project, version)] : back
    this.#ways.set(key, way)
    return way
  }

  #led(room: string, from: VersionStart, to: number): Led {
    const { projectId: project } = roomKeyOf(room)
    const levels = range(from.version + 1, to).flatMap((version) =>
      this.#levelsOf(project, version)
    )
    const way = [this.#level(project, from.version)]
    for (const level of levels) {
      const last = way.at(-1)
      if (last === level || last === undefined) continue
      if (this.#migration({ project, to }, [last, level]) === null) return { discarded: true }
      // A step and its way back cancel out.
      if (way.at(-2) === level) way.pop()
      else way.push(level)
    }
    let { state } = from
    let back = false
    for (const [at, level] of way.entries()) {
      const before = way[at - 1]
      if (before === undefined) continue
      const migration = this.#migration({ project, to }, [before, level])
      if (migration !== null && !migration.isBack && isThrown(migration, state))
        return { thrown: true }
      back ||= migration?.isBack === true
      state = onLevel(state, level)
    }
    return { state, hops: way.length - 1, back }
  }

  /** The migration as this version has it, which may have mended it, else as it came. `null` = none has one. */
  #migration(
    { project, to }: { readonly project: ProjectId; readonly to: number },
    [from, next]: readonly [number, number]
  ): (PlayedMigration & { readonly isBack: boolean }) | null {
    for (const version of [to, ...range(1, to)]) {
      for (const each of this.#bundle(project, version).stores?.migrations ?? []) {
        const isBack = each.from.level === next && each.to.level === from
        if (isBack ? each.back : each.from.level === from && each.to.level === next)
          return { ...each, isBack }
      }
    }
    return null
  }
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
