import { runnerTable } from "@atrium/actors/fleet/FleetStore"
import { projectTable } from "@atrium/actors/projects/ProjectStore"
import type { HomeKey } from "@atrium/actors/servers/HomeStore"
import type { ServerFill } from "@atrium/actors/servers/ServerFills"
import { nthOf } from "@atrium/actors/servers/ServerIndex"
import type { Claim } from "@atrium/actors/servers/ServerPlaces"
import type { Seen, SeenHome, SeenServer } from "@atrium/actors/servers/ServerPlacing"
import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"

import type { Timeline } from "./Timeline.ts"

interface Home {
  readonly runner: string
  session: string
  heardAtMs: number
  endedAtMs: number | null
}

interface Server {
  home: number
  cost: number
  sinceMs: number
  /** The same by the service's clock, by which runners report themselves. */
  sinceClockMs: number
}

/**
 * The homes of runners and the places of servers, as the tables of the database have them. Their time is
 * the machine's: the clock of a database does not jump with the service's.
 */
export class HomesState {
  readonly #timeline: Timeline
  readonly #tables: MemoryTables
  readonly #homes = new Map<number, Home>()
  /** By project, then by number. */
  readonly #servers = new Map<string, Map<number, Server>>()

  constructor(timeline: Timeline, tables: MemoryTables) {
    this.#timeline = timeline
    this.#tables = tables
  }

  get #nowMs(): number {
    return this.#timeline.machineMs
  }

  open(runner: string, session: string): number {
    const known = [...this.#homes].find(([, home]) => home.runner === runner)?.[0]
    const home = known ?? this.#homes.size + 1
    this.#homes.set(home, { runner, session, heardAtMs: this.#nowMs, endedAtMs: null })
    this.#empty(home)
    return home
  }

  runnerOf(home: number): string | null {
    return this.#homes.get(home)?.runner ?? null
  }

  #empty(home: number): void {
    for (const servers of this.#servers.values()) {
      for (const server of servers.values()) {
        if (server.home === home && server.cost > 0) this.#fill(server, 0)
      }
    }
  }

  #fill(server: Server, cost: number): void {
    server.cost = cost
    if (cost === 0) this.#begins(server)
  }

  #begins(server: Server): void {
    server.sinceMs = this.#nowMs
    server.sinceClockMs = this.#timeline.nowMs
  }

  #of({ home, session }: HomeKey): Home | null {
    const known = this.#homes.get(home)
    return known?.session === session ? known : null
  }

  take(key: HomeKey): boolean {
    const home = this.#of(key)
    if (home === null) return false
    if ((home.endedAtMs ?? -Infinity) > this.#nowMs - FleetLimits.homeAgain.ms) return false
    home.heardAtMs = this.#nowMs
    home.endedAtMs = null
    return true
  }

  renew(key: HomeKey): boolean {
    const home = this.#of(key)
    if (home === null || home.endedAtMs !== null) return false
    home.heardAtMs = this.#nowMs
    return true
  }

  close(key: HomeKey): void {
    const home = this.#of(key)
    if (home !== null) this.#give(key.home, home)
  }

  #give(number: number, home: Home): void {
    home.endedAtMs = this.#nowMs
    this.#empty(number)
  }

  giveUp(ended: ReadonlyArray<string>): void {
    for (const [number, home] of this.#homes) {
      if (home.endedAtMs !== null) continue
      const silentMs = this.#nowMs - home.heardAtMs
      const isSilent = silentMs >= FleetLimits.homeSilent.ms
      const hasEnded = ended.includes(home.runner) && silentMs >= StoreLimits.runnerEnd.ms
      if (isSilent || hasEnded) this.#give(number, home)
    }
  }

  isOver(home: number): boolean {
    return this.#homes.get(home)?.endedAtMs !== null
  }

  /** The process must say nothing for the home any more. */
  isLapsed(key: HomeKey): boolean {
    const home = this.#of(key)
    if (home === null || home.endedAtMs !== null) return true
    return this.#nowMs - home.heardAtMs >= FleetLimits.homeSilent.ms
  }

  claim({ projectId, nth, home, instead }: Claim): boolean {
    const servers = this.#serversOf(projectId)
    const known = servers.get(nth)
    const fits = known?.home === instead?.home && known?.sinceMs === instead?.sinceMs
    if (known !== undefined && !fits) return false
    const server = { home, cost: 0, sinceMs: 0, sinceClockMs: 0 }
    this.#begins(server)
    servers.set(nth, server)
    return true
  }

  #serversOf(projectId: string): Map<number, Server> {
    const servers = this.#servers.get(projectId) ?? new Map<number, Server>()
    this.#servers.set(projectId, servers)
    return servers
  }

  report(home: number, fills: ReadonlyArray<ServerFill>): void {
    for (const { projectId, index, cost } of fills) {
      const server = this.#serversOf(projectId).get(nthOf(index))
      if (server?.home === home && server.cost !== cost) this.#fill(server, cost)
    }
  }

  look({ projectId }: RoomKey, cost: number): Seen {
    const servers = [...this.#serversOf(projectId)].sort(([one], [other]) => one - other)
    const first = servers.filter(([nth]) => nth === 0)
    const roomy = servers.filter(
      ([nth, server]) => nth > 0 && server.cost <= ServerLimits.serverBudget.max - cost
    )
    const shown = [...first, ...roomy.slice(0, ServerLimits.serversLooked.max)]
    return {
      servers: shown.map(([nth, server]) => this.#seen(nth, server)),
      homes: this.#seenHomes(),
      last: servers.at(-1)?.[0] ?? -1,
      free: projectTable.rowsIn(this.#tables).get(projectId)?.plan !== "card",
      sentTo: null
    }
  }

  #seen(nth: number, { home, cost, sinceMs }: Server): SeenServer {
    const isOld = cost === 0 && this.#nowMs - sinceMs >= ServerLimits.serverEmpty.ms
    return { nth, home, cost, sinceMs, spare: isOld || this.isOver(home) }
  }

  #seenHomes(): ReadonlyArray<SeenHome> {
    const reports = runnerTable.rowsIn(this.#tables)
    return [...this.#homes].flatMap(([home, { runner, heardAtMs, endedAtMs }]) => {
      const report = reports.get(runner)
      const isQuiet = this.#nowMs - heardAtMs >= FleetLimits.homeQuiet.ms
      if (report === undefined || endedAtMs !== null || isQuiet) return []
      const { setting, freeBytes } = report
      const started = this.#startedSince(home, report.heardAtMs)
      return [{ home, setting, freeBytes, load: report.load + started * RoomClasses.standard.cost }]
    })
  }

  #startedSince(home: number, clockMs: number): number {
    return [...this.#servers.values()]
      .flatMap((servers) => [...servers.values()])
      .filter((one) => one.home === home && one.cost === 0 && one.sinceClockMs > clockMs).length
  }
}
