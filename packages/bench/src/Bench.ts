import type { BenchService, Servers } from "@atrium/api/testing/load/Servers"

/** The means that a workload runs with. */
export interface Bench {
  readonly servers: Servers
  /** A fresh service, whose event loop is watched. */
  service(env?: Readonly<Record<string, string>>): Promise<BenchService>
  /** Tells the person who waits. */
  progress(line: string): void
}
