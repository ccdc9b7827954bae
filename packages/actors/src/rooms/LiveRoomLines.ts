import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"

import type { ListChanges } from "./RoomLists.ts"

/** Lines and ids that a reader of a live list has to be told. */
export interface ToldLines {
  readonly lines: ReadonlyArray<string>
  readonly gone: ReadonlyArray<string>
}

interface Known {
  /** The line without its moment. */
  readonly rest: string
  readonly seenMs: number
}

/**
 * The lines of a room list that a reader was told. An awake room is reported every two seconds: a line in
 * which nothing but that moment is new is told again after ten.
 */
export class LiveRoomLines {
  readonly #known = new Map<string, Known>()

  /** Changes of the list. @returns `null` = they do not account for its rows: it has to be read whole */
  changed({ lines, hidden, rows }: ListChanges): ToldLines | null {
    const told = linesIn(lines).filter((line) => this.#isNew(line))
    const gone = hidden.filter((roomId) => this.#known.delete(roomId))
    return this.#known.size === rows ? { lines: told, gone } : null
  }

  /** The whole list. */
  whole({ lines }: Pick<ListChanges, "lines">): ToldLines {
    const all = linesIn(lines)
    const there = new Set(all.map(roomIdOf))
    const gone = [...this.#known.keys()].filter((roomId) => !there.has(roomId))
    for (const roomId of gone) this.#known.delete(roomId)
    return { lines: all.filter((line) => this.#isNew(line)), gone }
  }

  #isNew(line: string): boolean {
    const roomId = roomIdOf(line)
    const from = line.indexOf("\t")
    const to = line.indexOf("\t", from + 1)
    const seenMs = Number(line.slice(from + 1, to))
    const rest = line.slice(0, from) + line.slice(to)
    const before = this.#known.get(roomId)
    const same = before !== undefined && before.rest === rest
    if (same && seenMs - before.seenMs < RoomLimits.reportFresh.ms) return false
    this.#known.set(roomId, { rest, seenMs })
    return true
  }
}

const linesIn = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split("\n"))

const start = '"roomId":"'

/** Every line begins with the id of its room. */
const roomIdOf = (line: string): string => line.slice(start.length, line.indexOf('"', start.length))
