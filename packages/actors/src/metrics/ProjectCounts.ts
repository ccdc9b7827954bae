import { MetricsLimits } from "@atrium/domain/metrics/MetricsLimits"
import { Context } from "effect"

/** What happened in a project on this runner, since it became active here. */
export interface Counts {
  joins: number
  /** Lines of level `error` in the logs of its rooms. */
  errors: number
  /** Processes of rooms that ended by themselves. */
  exits: number
  /** Refusals by their limit, or by their code. */
  readonly refused: Map<string, number>
}

/**
 * Counts by project, of the projects that are active here: a room is awake, or somebody with a credential has
 * joined or tried to. A stranger's invention of an id counts for nothing. Each count is an addition, as it lies on the
 * way of joins and lines.
 */
export class ProjectCounts {
  /** The project that was active the longest ago comes first. */
  readonly #active = new Map<string, Counts>()

  /** The project is active. */
  touch(projectId: string): Counts {
    const counts = this.#active.get(projectId) ?? {
      joins: 0,
      errors: 0,
      exits: 0,
      refused: new Map()
    }
    this.#active.delete(projectId)
    this.#active.set(projectId, counts)
    const [oldest] = this.#active.keys()
    if (this.#active.size > MetricsLimits.seriesProjects.max && oldest !== undefined) {
      this.#active.delete(oldest)
    }
    return counts
  }

  joined(projectId: string): void {
    this.touch(projectId).joins++
  }

  refused(projectId: string, by: string): void {
    const refused = this.#active.get(projectId)?.refused
    refused?.set(by, (refused.get(by) ?? 0) + 1)
  }

  logged(projectId: string): void {
    const counts = this.#active.get(projectId)
    if (counts !== undefined) counts.errors++
  }

  exited(projectId: string): void {
    const counts = this.#active.get(projectId)
    if (counts !== undefined) counts.exits++
  }

  /** The active projects, with their counts. */
  get active(): ReadonlyMap<string, Readonly<Counts>> {
    return this.#active
  }

  /** The project is idle. */
  forget(projectId: string): void {
    this.#active.delete(projectId)
  }
}

/** The counts of this runner. */
export const CountedProjects = Context.Reference<ProjectCounts>(
  "@atrium/actors/metrics/ProjectCounts",
  { defaultValue: () => new ProjectCounts() }
)
