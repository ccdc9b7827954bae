import { procTextOf } from "./ProcessMemory.ts"

const NsPerMs = 1_000_000

/**
 * How long the first thread of a process has been ready to run, and had no CPU, since it began. Where JavaScript runs in it,
 * that is the thread which runs it.
 *
 * @returns milliseconds; `null` = the system does not tell
 */
export const cpuWaitMsOf = (pid: number): number | null => {
  const [, waitedNs] = /^\d+ (\d+) /.exec(procTextOf(pid, "schedstat") ?? "") ?? []
  return waitedNs === undefined ? null : Number(waitedNs) / NsPerMs
}
