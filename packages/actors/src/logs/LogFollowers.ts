import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { isAtLeast, type KeptLine, type LogLevel } from "@atrium/domain/logs/LogLine"
import { Effect } from "effect"

import { costOf } from "./RecentLines.ts"

/** Selects the lines that a follower hears of. */
export interface FollowerQuery {
  readonly projectId: string
  /** `null` = of every room. */
  readonly roomId: string | null
  readonly level: LogLevel
}

/** The lines that came since the last look. */
export interface Heard {
  readonly lines: ReadonlyArray<KeptLine>
  /** Lines that came after these and were dropped; `null` = nobody knows how many. */
  readonly missed: number | null
}

const nothing: Heard = { lines: [], missed: 0 }

/**
 * One reader of lines as they come. What it has not read waits within bounds of number and memory:
 * past these, lines are dropped and counted until it reads.
 */
export class LogFollower {
  readonly query: FollowerQuery
  #lines: Array<KeptLine> = []
  #bytes = 0
  #missed: number | null = 0
  #wake: (() => void) | null = null
  #isOver = false

  constructor(query: FollowerQuery) {
    this.query = query
  }

  /** Its project is gone: nothing is told any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Ends it, with what it has not read. */
  end(): void {
    this.#isOver = true
    const wake = this.#wake
    this.#take()
    wake?.()
  }

  /** Takes a line of the project, if it is one that was asked for. */
  hear(line: KeptLine): void {
    const { roomId, level } = this.query
    if (
      this.#isOver ||
      (roomId !== null && line.roomId !== roomId) ||
      !isAtLeast(line.level, level)
    )
      return
    const bytes = this.#bytes + costOf(line)
    const isFull =
      this.#lines.length >= LogLimits.logTailLines.max || bytes > LogLimits.logTailBytes.max
    // Nothing behind a gap is told before the gap.
    if (isFull || this.#missed !== 0) this.miss(1)
    else {
      this.#lines.push(line)
      this.#bytes = bytes
    }
    this.#wake?.()
  }

  /** Counts lines that were lost on their way here; `null` = nobody knows how many. */
  miss(lines: number | null): void {
    if (this.#isOver) return
    this.#missed = lines === null || this.#missed === null ? null : this.#missed + lines
    this.#wake?.()
  }

  /** What has come, or what comes next; nothing when nothing comes within this span. */
  next(withinMs: number): Effect.Effect<Heard> {
    return Effect.suspend(() =>
      this.#isQuiet
        ? Effect.as(
            Effect.timeoutOption(
              Effect.callback<void>((resume) => {
                this.#wake = () => resume(Effect.void)
                return Effect.sync(() => (this.#wake = null))
              }),
              withinMs
            ),
            null
          )
        : Effect.succeed(null)
    ).pipe(Effect.map(() => this.#take()))
  }

  get #isQuiet(): boolean {
    return this.#lines.length === 0 && this.#missed === 0
  }

  #take(): Heard {
    this.#wake = null
    if (this.#isQuiet) return nothing
    const heard = { lines: this.#lines, missed: this.#missed }
    this.#lines = []
    this.#bytes = 0
    this.#missed = 0
    return heard
  }
}

/** The followers of a runner, so many readers of a project and of all. */
export class LogFollowers {
  readonly #byProject = new Map<string, Set<LogFollower>>()
  /** Other runners follow for their own readers, and count them there. */
  readonly #forRunners = new Set<LogFollower>()
  #size = 0

  hasPlace(projectId: string): boolean {
    const ofProject = [...(this.#byProject.get(projectId) ?? [])].filter(
      (follower) => !this.#forRunners.has(follower)
    )
    const readers = this.#size - this.#forRunners.size
    return ofProject.length < LogLimits.logTailsProject.max && readers < LogLimits.logTails.max
  }

  /** A reader of this runner. @returns `null` = there are as many as there may be */
  add(query: FollowerQuery): LogFollower | null {
    return this.hasPlace(query.projectId) ? this.#add(query) : null
  }

  /** Another runner, which bounds its readers by itself. */
  addRunner(query: FollowerQuery): LogFollower {
    const follower = this.#add(query)
    this.#forRunners.add(follower)
    return follower
  }

  #add(query: FollowerQuery): LogFollower {
    const ofProject = this.#byProject.get(query.projectId) ?? new Set()
    const follower = new LogFollower(query)
    this.#byProject.set(query.projectId, ofProject.add(follower))
    this.#size++
    return follower
  }

  remove(follower: LogFollower): void {
    const { projectId } = follower.query
    const ofProject = this.#byProject.get(projectId)
    if (ofProject?.delete(follower) !== true) return
    this.#forRunners.delete(follower)
    this.#size--
    if (ofProject.size === 0) this.#byProject.delete(projectId)
  }

  /** The projects that have followers. */
  get projects(): ReadonlyArray<string> {
    return [...this.#byProject.keys()]
  }

  /** Ends the followers of a project that is gone. */
  end(projectId: string): void {
    for (const follower of this.#byProject.get(projectId) ?? []) follower.end()
  }

  hear(projectId: string, line: KeptLine): void {
    for (const follower of this.#byProject.get(projectId) ?? []) follower.hear(line)
  }
}
