import type { ProjectCounts } from "@atrium/actors/metrics/ProjectCounts"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { closeCodeOf } from "@atrium/wire/frames/Closing"

import { Histogram } from "../metrics/Histogram.ts"

/** The side that ended a connection. */
export type ClosedBy = "service" | "client"

/** Upper bounds of the time from a hello to its welcome. */
const joinBounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10] as const

/** Codes with which a client, or the network between, ends a connection. */
const ofClients: ReadonlyArray<number> = [1000, 1001, 1005, 1006]
const ofService: ReadonlyArray<number> = [
  ...new Set(Object.values(CloseCodes).map(({ code }) => code))
]

/** The code where it is one of a fixed set: a client and room code may choose any of thousands. */
const labelOf = (code: number, by: ClosedBy): string =>
  (by === "client" ? ofClients : ofService).includes(code) ? String(code) : "other"

const rowOf = (code: string, by: ClosedBy): string => `${by} ${code}`

/** Each way in which a join ends: by its welcome, by the client's leave, by a refusal with its code. */
const outcomes: ReadonlyArray<string> = [
  "welcomed",
  "left",
  ...Object.values(CloseCodes)
    .map(({ name }) => name)
    .filter((name) => name.startsWith("E_"))
]

/**
 * What the connections of this runner did so far. The message path adds to numbers; they are read when
 * somebody looks. Each set of labels is fixed: no client and no room code can make it grow.
 */
export class ConnectionFigures {
  framesIn = 0
  framesOut = 0
  /** Time from a hello to its welcome, in seconds. */
  readonly joinSeconds = new Histogram(joinBounds)
  readonly #closes = new Map<string, number>(
    [
      ...[...ofService.map(String), "other"].map((code) => rowOf(code, "service")),
      ...[...ofClients.map(String), "other"].map((code) => rowOf(code, "client"))
    ].map((row) => [row, 0])
  )
  readonly #joins = new Map<string, number>(outcomes.map((outcome) => [outcome, 0]))
  readonly #projects: Pick<ProjectCounts, "joined" | "refused"> | null

  /** @param projects the same by project, where somebody counts them */
  constructor(projects: Pick<ProjectCounts, "joined" | "refused"> | null = null) {
    this.#projects = projects
  }

  /** The count of one connection. @param projectId the project that it asks for */
  connection(projectId = ""): ConnectionCount {
    return new ConnectionCount({
      closed: (code, by) => add(this.#closes, rowOf(labelOf(code, by), by)),
      welcomed: (ms) => {
        this.joinSeconds.record(Math.max(0, ms) / 1000)
        add(this.#joins, "welcomed")
        this.#projects?.joined(projectId)
      },
      left: () => add(this.#joins, "left"),
      refused: (code) => {
        const { name } = closeCodeOf(code)
        const known = outcomes.includes(name) ? name : CloseCodes.refused.name
        add(this.#joins, known)
        // The door tells which of its limits it was.
        if (known !== CloseCodes.rateLimited.name) this.#projects?.refused(projectId, known)
      }
    })
  }

  /** By code and by who closed. */
  get closes(): ReadonlyArray<{ readonly code: string; readonly by: string; read(): number }> {
    return [...this.#closes.keys()].map((row) => {
      const [by = "", code = ""] = row.split(" ")
      return { code, by, read: () => this.#closes.get(row) ?? 0 }
    })
  }

  get joins(): ReadonlyArray<{ readonly outcome: string; read(): number }> {
    return outcomes.map((outcome) => ({ outcome, read: () => this.#joins.get(outcome) ?? 0 }))
  }
}

interface Counts {
  closed(code: number, by: ClosedBy): void
  welcomed(ms: number): void
  left(): void
  /** A code that room code made up counts as its refusal. */
  refused(code: string): void
}

/** One connection: its join and its close count once each. */
export class ConnectionCount {
  readonly #counts: Counts
  #helloAtMs: number | null = null
  #over = false

  constructor(counts: Counts) {
    this.#counts = counts
  }

  /** Its hello came. A connection that ends without one is no join. */
  began(nowMs: number): void {
    this.#helloAtMs = nowMs
  }

  welcomed(nowMs: number): void {
    const { count, helloAtMs } = this.#end()
    if (count && helloAtMs !== null) this.#counts.welcomed(nowMs - helloAtMs)
  }

  /** The service refused it, be it before the hello. */
  refused(code: string): void {
    if (this.#end().count) this.#counts.refused(code)
  }

  /** The service closed it. */
  closed({ code, reason }: { readonly code: number; readonly reason: string }): void {
    this.#counts.closed(code, "service")
    const { count, helloAtMs } = this.#end()
    if (count && helloAtMs !== null) this.#counts.refused(reason)
  }

  /** The client closed it, or its network broke. */
  left(code: number): void {
    this.#counts.closed(code, "client")
    const { count, helloAtMs } = this.#end()
    if (count && helloAtMs !== null) this.#counts.left()
  }

  #end(): { readonly count: boolean; readonly helloAtMs: number | null } {
    const count = !this.#over
    this.#over = true
    return { count, helloAtMs: this.#helloAtMs }
  }
}

const add = (counts: Map<string, number>, row: string): void => {
  counts.set(row, (counts.get(row) ?? 0) + 1)
}
