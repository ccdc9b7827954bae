import type { Incarnation } from "@atrium/actors/rooms/RoomState"
import { MiB } from "@atrium/wire/limits/Limit"

import { Saves } from "./Saves.ts"
import type { PlayState } from "./StoredRoom.ts"
import type { World } from "./World.ts"

/** What a client sends to its room. */
export interface PlayFrame {
  readonly does: "plain" | "durable" | "save" | "alarm" | "begin"
  /** Of every frame its own: what the room's state holds of it. */
  readonly write: number
}

/** See RoomProcessListener in actors/process/RoomProcess.ts. */
export interface RoomProcessListener {
  ready(): void
  joined(ref: number): void
  answered(ref: number, write: number, stored: boolean): void
  changed(): void
  saveRequested(saveId: number, generation: boolean): void
  snapshot(requestId: number, state: PlayState): void
  alarms(alarms: ReadonlyArray<number>): void
  lobby(change: { readonly started: boolean }): void
  exited(): void
}

const alarmSpanMs = 90_000
const exitNoticedMs = 400

/**
 * A room's process with code that keeps what it is told. Orders and reports take their time and keep
 * their order, as on the one socket pair of a real one.
 */
export class RoomProcess {
  readonly at: Incarnation
  /** Memory that the room has taken. */
  usedBytes = 8 * MiB
  readonly #world: World
  readonly #listener: RoomProcessListener
  readonly #refs = new Set<number>()
  readonly #saves: Saves
  #state: Array<number> = []
  #alarms: ReadonlyArray<number> = []
  #changedReported = false
  /** The final snapshot was taken: nothing moves any more. */
  #disposed = false
  #ended = false
  #orderAtMs = 0
  #reportAtMs = 0

  constructor(world: World, at: Incarnation, listener: RoomProcessListener) {
    this.#world = world
    this.at = at
    this.#listener = listener
    this.#saves = new Saves((saveId, generation) =>
      this.#report(() => this.#listener.saveRequested(saveId, generation))
    )
  }

  get running(): boolean {
    return !this.#ended
  }

  #order(run: () => void): void {
    const { timeline, chance } = this.#world
    this.#orderAtMs = Math.max(this.#orderAtMs, timeline.machineMs + chance.below(3))
    timeline.after(this.#orderAtMs - timeline.machineMs, () => {
      if (!this.#ended) run()
    })
  }

  #report(run: () => void): void {
    const { timeline, chance } = this.#world
    this.#reportAtMs = Math.max(this.#reportAtMs, timeline.machineMs + chance.below(3))
    timeline.after(this.#reportAtMs - timeline.machineMs, run)
  }

  start(state: PlayState, alarms: ReadonlyArray<number>, loadsForMs: number): void {
    this.#state = [...state]
    this.#alarms = alarms
    const { timeline } = this.#world
    timeline.after(loadsForMs, () => {
      if (this.#ended) return
      this.#report(() => this.#listener.ready())
      this.#ring()
    })
  }

  /** Alarms that are due are taken; the others wait for the clock. */
  #ring(): void {
    if (this.#ended || this.#disposed || this.#alarms.length === 0) return
    const { timeline } = this.#world
    const left = this.#alarms.filter((atMs) => atMs > timeline.nowMs)
    if (left.length < this.#alarms.length) this.#setAlarms(left)
    const next = Math.min(...left)
    if (left.length > 0) timeline.afterByRule(next - timeline.nowMs, () => this.#ring())
  }

  #setAlarms(alarms: ReadonlyArray<number>): void {
    this.#alarms = alarms
    this.#report(() => this.#listener.alarms(alarms))
  }

  join(ref: number): void {
    this.#order(() => {
      this.#refs.add(ref)
      this.#report(() => this.#listener.joined(ref))
    })
  }

  /** The client left, or its connection was lost. */
  drop(ref: number): void {
    this.#order(() => this.#refs.delete(ref))
  }

  data(ref: number, frame: PlayFrame): void {
    this.#order(() => {
      if (this.#refs.has(ref) && !this.#disposed) this.#play(ref, frame)
    })
  }

  #play(ref: number, { does, write }: PlayFrame): void {
    const { timeline } = this.#world
    if (does === "begin") return this.#report(() => this.#listener.lobby({ started: true }))
    this.#state.push(write)
    if (!this.#changedReported) {
      this.#changedReported = true
      this.#report(() => this.#listener.changed())
    }
    if (does === "alarm") {
      this.#setAlarms([timeline.nowMs + alarmSpanMs])
      this.#ring()
    }
    if (does === "plain" || does === "alarm") return
    this.#saves.ask(does === "save", (stored) =>
      this.#report(() => this.#listener.answered(ref, write, stored))
    )
  }

  requestSnapshot(requestId: number, final: boolean): void {
    this.#order(() => {
      if (this.#disposed) return
      this.#saves.gather()
      this.#changedReported = false
      this.#disposed = final
      const state = [...this.#state]
      this.#report(() => this.#listener.snapshot(requestId, state))
    })
  }

  saved(saveId: number, stored: boolean): void {
    this.#order(() => this.#saves.saved(saveId, stored))
  }

  /** It ends at once; who listens hears of it a little later. */
  kill(): void {
    if (this.#ended) return
    this.#ended = true
    this.#world.timeline.after(this.#world.chance.below(exitNoticedMs), () =>
      this.#report(() => this.#listener.exited())
    )
  }
}
