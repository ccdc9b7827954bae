import type { RoomAction, RoomEvent, RoomState } from "@atrium/actors/rooms/RoomState"
import type { ServerAction, ServerEvent } from "@atrium/actors/servers/ServerMachine"

import type { Timeline } from "./Timeline.ts"

const keptMax = 4000

interface RoomTaken {
  readonly before: RoomState
  readonly after: RoomState
  readonly actions: ReadonlyArray<RoomAction>
}

/** The events of a run as text: the last lines for a reader, a hash of all of them to compare two runs. */
export class Trace {
  readonly #timeline: Timeline
  #lines: Array<string> = []
  #hash = 0x811c9dc5

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  get hash(): number {
    return this.#hash
  }

  note(what: string): void {
    const line = `${(this.#timeline.machineMs / 1000).toFixed(3).padStart(9)} s  ${what}`
    for (let at = 0; at < line.length; at++) {
      this.#hash = Math.imul(this.#hash ^ line.charCodeAt(at), 0x01000193) >>> 0
    }
    this.#lines.push(line)
    if (this.#lines.length > 2 * keptMax) this.#lines = this.#lines.slice(-keptMax)
  }

  room(key: string, event: RoomEvent, taken: RoomTaken): void {
    const { before, after, actions } = taken
    const orders = actions.map((action) =>
      action._tag === "Refuse" ? `Refuse ${action.code}` : action._tag
    )
    const moves = after === before ? before._tag : `${shown(before)} -> ${shown(after)}`
    this.note(`${key}  ${event._tag}${epochOf(event)}: ${moves}${listed(orders)}`)
  }

  server(id: string, event: ServerEvent, actions: ReadonlyArray<ServerAction>): void {
    const about = "roomId" in event ? ` ${event.roomId}${epochOf(event)}` : ""
    this.note(`server ${id}  ${event._tag}${about}${listed(actions.map(({ _tag }) => _tag))}`)
  }

  /** The last lines that are about one of these, or about nothing in particular. */
  last(count: number, about: ReadonlyArray<string>): ReadonlyArray<string> {
    const isAbout = (line: string): boolean =>
      line.includes("  > ") || about.length === 0 || about.some((word) => line.includes(word))
    return this.#lines.filter(isAbout).slice(-count)
  }
}

const listed = (words: ReadonlyArray<string>): string =>
  words.length === 0 ? "" : `, ${words.join(", ")}`

const epochOf = (thing: object): string =>
  "epoch" in thing && thing.epoch !== null ? ` ${String(thing.epoch)}` : ""

const shown = (state: RoomState): string =>
  `${state._tag}${"at" in state && state.at !== null ? epochOf(state.at) : epochOf(state)}`
