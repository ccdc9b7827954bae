import type { Servers } from "@atrium/api/testing/load/Servers"

/** What a workload gets to run with. */
export interface Bench {
  readonly servers: Servers
  /** Tells the person who waits. */
  progress(line: string): void
}
