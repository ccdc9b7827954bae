import type { BenchService, Servers } from "@atrium/api/testing/load/Servers"

import type { Peer } from "./peers/Peer.ts"

/** The means that a workload runs with. */
export interface Bench {
  readonly servers: Servers
  /** A fresh service, whose event loop is watched. */
  service(env?: Readonly<Record<string, string>>): Promise<BenchService>
  /** Fresh servers of other libraries; empty when the run has none. */
  peers(): Promise<ReadonlyArray<Peer>>
  /** Tells the person who waits. */
  progress(line: string): void
}
