import type { PlayState } from "@atrium/actors/process/testing/MemoryRoomProcess"

import type { Timeline } from "./Timeline.ts"
import { Violation } from "./Violation.ts"

// A literal of D-48, on purpose: a dirty room is stored at most so long after its change.
const snapshotMs = 10_000
/** For the way to the store and back, and what may wait before it. */
const slackMs = 2000

/** A call whose answer says nothing of storing. */
interface Call {
  readonly write: number
  readonly epoch: number
  readonly saidAtMs: number
}

interface Trouble {
  readonly fromMs: number
  readonly untilMs: number
}

/**
 * Plain calls that rooms have answered: the end of an incarnation may undo those of its last ten seconds
 * and no older ones, unless the store, the clock or its runner kept it from storing them.
 */
export class PlainCalls {
  readonly #timeline: Timeline
  /** By write: said by a room, perhaps never heard. */
  readonly #said = new Map<number, Call>()
  /** By room: heard by clients, and not found in a stored state yet. */
  readonly #heard = new Map<string, Array<Call>>()
  /** By epoch: when its incarnation ended, or a later one was begun. */
  readonly #endedAtMs = new Map<number, number>()
  #troubles: Array<Trouble> = []

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** For so long a state may not get stored in time. */
  troubled(ms: number): void {
    const fromMs = this.#timeline.machineMs
    this.#troubles.push({ fromMs, untilMs: fromMs + ms + slackMs })
  }

  /** Something may have kept a state from getting stored at some time between, in the machine's time. */
  wasTroubled(sinceMs: number, toMs: number): boolean {
    return this.#troubles.some(({ fromMs, untilMs }) => fromMs <= toMs && untilMs >= sinceMs)
  }

  said(write: number, epoch: number): void {
    this.#said.set(write, { write, epoch, saidAtMs: this.#timeline.machineMs })
  }

  heard(room: string, write: number): void {
    const call = this.#said.get(write)
    if (call === undefined) throw new Violation("plain", `${room}: nobody said ${write}`)
    this.#heard.set(room, [...(this.#heard.get(room) ?? []), call])
  }

  /** The incarnation does nothing any more, or must not. */
  ended(epoch: number): void {
    if (!this.#endedAtMs.has(epoch)) this.#endedAtMs.set(epoch, this.#timeline.machineMs)
  }

  /** A later incarnation of the room was begun: from here on nothing of the earlier ones is stored. */
  superseded(room: string, by: number): void {
    for (const { epoch } of this.#heard.get(room) ?? []) if (epoch < by) this.ended(epoch)
  }

  /** All state of the room was taken away or replaced. */
  forgotten(room: string): void {
    this.#heard.delete(room)
  }

  /** The next incarnation of the room reads this. */
  loaded(room: string, state: PlayState): void {
    const calls = this.#heard.get(room)
    if (calls === undefined) return
    this.#heard.delete(room)
    const has = new Set(state)
    for (const call of calls) if (!has.has(call.write)) this.#lost(room, call)
  }

  #lost(room: string, { write, epoch, saidAtMs }: Call): void {
    const endedAtMs = this.#endedAtMs.get(epoch) ?? this.#timeline.machineMs
    const dueMs = saidAtMs + snapshotMs + slackMs
    if (endedAtMs <= dueMs) return
    if (this.wasTroubled(saidAtMs, dueMs)) return
    const lived = `${((endedAtMs - saidAtMs) / 1000).toFixed(1)} s`
    throw new Violation("plain", `${room} is played without ${write}, said ${lived} before its end`)
  }
}
