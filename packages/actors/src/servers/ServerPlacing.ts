import type { RunnerSetting } from "@atrium/domain/fleet/RunnerStatus"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"

import { homeOf, serverIndexOf } from "./ServerIndex.ts"

/** A server of the project that the room is of. */
export interface SeenServer {
  readonly nth: number
  readonly home: number
  /** In 120ths: the places that it has given or promised. */
  readonly cost: number
  /** It holds no room, and its runner has ended or did not use it lately: it may start anywhere. */
  readonly spare: boolean
  /** When it was started or emptied, by the database's clock. */
  readonly sinceMs: number
}

/** A runner that lives. */
export interface SeenHome {
  readonly home: number
  readonly setting: RunnerSetting
  /** The shares of its rooms, and of servers that were started there since it reported itself. */
  readonly load: number
  /** `null` = its system does not say. */
  readonly freeBytes: number | null
}

/** What a placing knows of the project's servers and of the runners. */
export interface Seen {
  /** The first server, and the lowest ones that have room. */
  readonly servers: ReadonlyArray<SeenServer>
  readonly homes: ReadonlyArray<SeenHome>
  /** The highest server that the project ever had; -1 = none. */
  readonly last: number
  /** The project is on the free plan, which has one server. */
  readonly free: boolean
  /** The home that the room was sent to; `null` = none. */
  readonly sentTo: number | null
}

export interface Unplaced {
  readonly class: RoomClass
  /** The home of the runner that asks. */
  readonly own: number
  /** Servers that have refused the room, by index. */
  readonly without: ReadonlySet<number>
  /** Homes that take no room any more. */
  readonly leaving: ReadonlySet<number>
}

export type Chosen =
  | { readonly _tag: "Held"; readonly serverIndex: number }
  /** The server has to be started; `instead` = the spare one whose number it takes. */
  | {
      readonly _tag: "Started"
      readonly nth: number
      readonly home: number
      readonly instead: SeenServer | null
    }

/**
 * The server for a room: the lowest one that has room, on a runner that takes rooms. If there is none,
 * a server is started on the runner with the least load. No server is asked twice. Source: D-46, C-434.
 * @returns `null` when there is no server left to ask
 */
export const choosePlace = (seen: Seen, room: Unplaced): Chosen | null => {
  if (room.without.size >= ServerLimits.serversAsked.max) return null
  const homes = openHomes(seen, room)
  const open = new Set(homes.map(({ home }) => home))
  const { cost } = RoomClasses[room.class]
  const fits = (server: SeenServer): boolean =>
    server.cost + cost <= ServerLimits.serverBudget.max && !room.without.has(indexOf(server))
  const first = seen.servers.find(({ nth }) => nth === 0)
  const target = leastLoaded(homes, room)
  // Its server says why it takes no room, in its own words.
  if (target === null) return held(lives(seen, first) ? first : { home: room.own, nth: 0 }, room)
  if (seen.free) return firstServer({ seen, room, target, first })
  const found = seen.servers.find(
    (server) => !server.spare && open.has(server.home) && fits(server)
  )
  if (found !== undefined) return held(found, room)
  const instead = seen.servers.find(({ spare }) => spare) ?? null
  const nth = instead?.nth ?? seen.last + 1
  if (nth >= ServerLimits.serversPerProject.max) return null
  return { _tag: "Started", nth, home: target, instead }
}

const lives = ({ homes }: Seen, server: SeenServer | undefined): server is SeenServer =>
  homes.some(({ home }) => home === server?.home)

const indexOf = ({ home, nth }: Pick<SeenServer, "home" | "nth">): number =>
  serverIndexOf(home, nth)

const held = (server: Pick<SeenServer, "home" | "nth">, room: Unplaced): Chosen | null => {
  const serverIndex = indexOf(server)
  return room.without.has(serverIndex) ? null : { _tag: "Held", serverIndex }
}

interface First {
  readonly seen: Seen
  readonly room: Unplaced
  readonly target: number
  readonly first: SeenServer | undefined
}

/** The free plan has one server: it stays while its runner does not leave, even if it refuses the room. */
const firstServer = ({ seen, room, target, first }: First): Chosen | null => {
  const started = (instead: SeenServer | null): Chosen => ({
    _tag: "Started",
    nth: 0,
    home: target,
    instead
  })
  if (first === undefined) return started(null)
  const setting = seen.homes.find(({ home }) => home === first.home)?.setting
  const leaves = room.leaving.has(first.home) || setting === "draining"
  const elsewhere = seen.sentTo === target && first.home !== target
  return first.spare || leaves || elsewhere ? started(first) : held(first, room)
}

/** The runners that take the room: that which it was sent to, else those with memory, else all that are open. */
const openHomes = ({ homes, sentTo }: Seen, room: Unplaced): ReadonlyArray<SeenHome> => {
  const open = homes.filter(({ home, setting }) => setting === "open" && !room.leaving.has(home))
  const sent = open.filter(({ home }) => home === sentTo)
  if (sent.length > 0) return sent
  const bytes = ServerLimits.machineNear.max + RoomClasses[room.class].memoryMiB * MiB
  const roomy = open.filter(({ freeBytes }) => freeBytes === null || freeBytes >= bytes)
  return roomy.length > 0 ? roomy : open
}

/**
 * A runner that has refused the room comes last: it may not take rooms yet, or no longer. Of runners with
 * the same load it is the one that asks, else the lowest.
 */
const leastLoaded = (homes: ReadonlyArray<SeenHome>, { own, without }: Unplaced): number | null => {
  const refusing = new Set([...without].map(homeOf))
  const rank = ({ home }: SeenHome): number => (home === own ? -1 : home)
  const [least] = homes.toSorted(
    (one, other) =>
      Number(refusing.has(one.home)) - Number(refusing.has(other.home)) ||
      one.load - other.load ||
      rank(one) - rank(other)
  )
  return least?.home ?? null
}
