import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { isAtLeast, type KeptLine, type LogLevel } from "@atrium/domain/logs/LogLine"

/** Lines of one room in memory. */
interface RoomLines {
  readonly lines: Array<KeptLine>
  /** Nothing up to this id is there any more. */
  goneId: number
}

interface ProjectLines {
  /** The room that was quiet longest first. */
  readonly rooms: Map<string, RoomLines>
  bytes: number
  /** Nothing up to this id is there any more of rooms that have no lines left. */
  goneId: number
}

/** Selects lines in memory. */
export interface RecentQuery {
  /** `null` = of every room. */
  readonly roomId: string | null
  readonly level: LogLevel
  readonly fromId: number
}

export const costOf = ({ line }: KeptLine): number => LogLimits.logLineCost.max + 2 * line.length

/**
 * The last lines of rooms, in memory: 500 of a room, within bounds of a project and of a runner. Past
 * these the room or the project that was quiet longest loses its oldest line. Mutable, as it lies on
 * the way of every line. Spec: Log lines buffered; C-332.
 */
export class RecentLines {
  /** The project that was quiet longest first. */
  readonly #projects = new Map<string, ProjectLines>()
  #bytes = 0
  /** Nothing up to this id is there any more of projects that have no lines left. */
  #goneId: number

  /** @param goneId lines up to this id are of an earlier run, and were never here */
  constructor(goneId: number) {
    this.#goneId = goneId
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The projects that have lines. */
  get projects(): ReadonlyArray<string> {
    return [...this.#projects.keys()]
  }

  /** Forgets the lines of a project that is gone. */
  forget(projectId: string): void {
    this.#bytes -= this.#projects.get(projectId)?.bytes ?? 0
    this.#projects.delete(projectId)
  }

  /** @param line with an id greater than that of each line before */
  add(projectId: string, line: KeptLine): void {
    const project = this.#projects.get(projectId) ?? {
      rooms: new Map(),
      bytes: 0,
      goneId: this.#goneId
    }
    const room = project.rooms.get(line.roomId) ?? { lines: [], goneId: project.goneId }
    room.lines.push(line)
    this.#count(project, costOf(line))
    last(this.#projects, projectId, project)
    last(project.rooms, line.roomId, room)
    if (room.lines.length > LogLimits.logBuffer.max) this.#shift(project, room)
    while (project.bytes > LogLimits.logBufferProject.max) this.#shiftQuietest(project)
    while (this.#bytes > LogLimits.logBufferRunner.max) this.#shiftQuietestProject()
  }

  /** The lines that match, in their order. `isWhole` = none of them has been forgotten. */
  from(
    projectId: string,
    { roomId, level, fromId }: RecentQuery
  ): { readonly lines: ReadonlyArray<KeptLine>; readonly isWhole: boolean } {
    const project = this.#projects.get(projectId)
    if (project === undefined) return { lines: [], isWhole: fromId > this.#goneId }
    const ofRoom = roomId === null ? undefined : project.rooms.get(roomId)
    const rooms =
      roomId === null ? [...project.rooms.values()] : ofRoom === undefined ? [] : [ofRoom]
    const goneId = Math.max(
      ofRoom === undefined ? project.goneId : 0,
      ...rooms.map((room) => room.goneId)
    )
    const lines = rooms
      .flatMap((room) => room.lines)
      .filter((line) => line.lineId >= fromId && isAtLeast(line.level, level))
      .sort((one, other) => one.lineId - other.lineId)
    return { lines, isWhole: fromId > goneId }
  }

  #count(project: ProjectLines, cost: number): void {
    project.bytes += cost
    this.#bytes += cost
  }

  #shift(project: ProjectLines, room: RoomLines): void {
    const line = room.lines.shift()
    if (line === undefined) return
    room.goneId = line.lineId
    this.#count(project, -costOf(line))
  }

  #shiftQuietest(project: ProjectLines): void {
    const [first] = project.rooms
    if (first === undefined) return
    const [roomId, room] = first
    this.#shift(project, room)
    if (room.lines.length > 0) return
    project.rooms.delete(roomId)
    project.goneId = Math.max(project.goneId, room.goneId)
  }

  #shiftQuietestProject(): void {
    const [first] = this.#projects
    if (first === undefined) return
    const [projectId, project] = first
    this.#shiftQuietest(project)
    if (project.rooms.size > 0) return
    this.#projects.delete(projectId)
    this.#goneId = Math.max(this.#goneId, project.goneId)
  }
}

/** Puts an entry behind all others of a map. */
const last = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key)
  map.set(key, value)
}
