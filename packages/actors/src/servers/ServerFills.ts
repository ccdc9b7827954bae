import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { Context } from "effect"

import type { Place } from "./ServerMachine.ts"

/** A room that asks for a place. */
interface Asking {
  readonly projectId: string
  readonly roomId: string
}

interface Wanted extends Asking {
  /** In 120ths of a server. */
  readonly cost: number
  /** Servers that have refused the room. */
  readonly without: ReadonlySet<number>
}

interface Server {
  readonly projectId: string
  readonly index: number
}

/** How full a server is, in 120ths. */
export interface ServerFill extends Server {
  readonly cost: number
}

interface Promised {
  readonly index: number
  readonly cost: number
}

/** The servers of one project. */
interface Fill {
  /** By index, in 120ths: the places of rooms that a server holds. */
  readonly held: Map<number, number>
  /** By index, in 120ths: places promised to rooms that the server has not heard of yet. */
  readonly promised: Map<number, number>
  readonly rooms: Map<string, Promised>
  /** No server below it has room for the smallest class. */
  lowest: number
}

const smallestCost = Math.min(...Object.values(RoomClasses).map(({ cost }) => cost))

/**
 * How full the servers of this runner are, so that a room is placed without asking them one after the
 * other. Each server reports its places. The answer of the server still decides: a server that is full
 * refuses the room, and the room asks for another one. Source: D-46, C-430.
 */
export class ServerFills {
  readonly #projects = new Map<string, Fill>()
  /** Servers that filled or emptied since they were taken last, by key; `null` = nobody takes them. */
  #changed: Map<string, Server> | null = null

  /** How many projects have a server that holds a room, or a room on its way. */
  get size(): number {
    return this.#projects.size
  }

  /**
   * The lowest index whose server has room, promised to the room until the server holds it or
   * {@link forget} is called; `null` = every server is full.
   */
  promise({ projectId, roomId, cost, without }: Wanted): number | null {
    this.forget({ projectId, roomId })
    const fill = this.#fill(projectId)
    while (taken(fill, fill.lowest) + smallestCost > ServerLimits.serverBudget.max) fill.lowest++
    for (let index = fill.lowest; index < ServerLimits.serversPerProject.max; index++) {
      const fits = taken(fill, index) + cost <= ServerLimits.serverBudget.max
      if (!fits || without.has(index)) continue
      promise(fill, roomId, { index, cost })
      return index
    }
    this.#drop(projectId, fill)
    return null
  }

  /** Promises the room a place on this server, until the server holds it or {@link forget} is called. */
  promiseOn({ projectId, roomId }: Asking, promised: Promised): void {
    this.forget({ projectId, roomId })
    promise(this.#fill(projectId), roomId, promised)
  }

  /** Places that rooms of this runner were promised on a server, in 120ths. */
  promisedOn({ projectId, index }: Server): number {
    return this.#projects.get(projectId)?.promised.get(index) ?? 0
  }

  /** Places that a server of this runner has given, in 120ths. */
  heldOn({ projectId, index }: Server): number {
    return this.#projects.get(projectId)?.held.get(index) ?? 0
  }

  /** The servers that filled or emptied since the last call; the first call begins to note them. */
  takeChanged(): ReadonlyArray<ServerFill> {
    const changed = [...(this.#changed?.values() ?? [])]
    this.#changed = new Map()
    return changed.map((server) => ({ ...server, cost: this.heldOn(server) }))
  }

  /** The room is placed, or will not be. */
  forget({ projectId, roomId }: Asking): void {
    const fill = this.#projects.get(projectId)
    const promised = fill?.rooms.get(roomId)
    if (fill === undefined || promised === undefined) return
    fill.rooms.delete(roomId)
    const left = (fill.promised.get(promised.index) ?? 0) - promised.cost
    if (left > 0) fill.promised.set(promised.index, left)
    else fill.promised.delete(promised.index)
    freed(fill, promised.index)
    this.#drop(projectId, fill)
  }

  /** The places that a server has given. */
  reported({ projectId, index }: Server, places: ReadonlyArray<Place>): void {
    const fill = this.#fill(projectId)
    if (places.length === 0) fill.held.delete(index)
    else
      fill.held.set(
        index,
        places.reduce((sum, { cost }) => sum + cost, 0)
      )
    this.#changed?.set(`${projectId}/${index}`, { projectId, index })
    freed(fill, index)
    for (const { roomId } of places) {
      if (fill.rooms.get(roomId)?.index === index) this.forget({ projectId, roomId })
    }
    this.#drop(projectId, fill)
  }

  #fill(projectId: string): Fill {
    const known = this.#projects.get(projectId)
    if (known !== undefined) return known
    const fill: Fill = { held: new Map(), promised: new Map(), rooms: new Map(), lowest: 0 }
    this.#projects.set(projectId, fill)
    return fill
  }

  #drop(projectId: string, fill: Fill): void {
    if (fill.rooms.size > 0 || fill.held.size > 0) return
    this.#projects.delete(projectId)
  }
}

const taken = ({ held, promised }: Fill, index: number): number =>
  (held.get(index) ?? 0) + (promised.get(index) ?? 0)

const promise = (fill: Fill, roomId: string, { index, cost }: Promised): void => {
  fill.rooms.set(roomId, { index, cost })
  fill.promised.set(index, (fill.promised.get(index) ?? 0) + cost)
}

const freed = (fill: Fill, index: number): void => {
  fill.lowest = Math.min(fill.lowest, index)
}

/** Written by the servers of this runner, read by its rooms. */
export const RunnerFills = Context.Reference<ServerFills>("@atrium/actors/servers/RunnerFills", {
  defaultValue: () => new ServerFills()
})
