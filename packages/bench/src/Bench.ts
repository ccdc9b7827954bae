import type { BenchService, Servers } from "@atrium/api/testing/load/Servers"

/** What a workload gets to run with. */
export interface Bench {
  readonly servers: Servers
  /** A fresh service, whose event loop is watched. */
  service(env?: Readonly<Record<string, string>>): Promise<BenchService>
  /** Tells the person who waits. */
  progress(line: string): void
}
