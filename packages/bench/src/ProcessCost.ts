import { readdirSync, readFileSync } from "node:fs"

import { sleep } from "@atrium/api/testing/load/Tasks"
import { descendantsOf, roomProcessesOf } from "@atrium/api/testing/ProcessTree"

/** Linux counts the CPU time of processes that have ended in hundredths of a second. */
const ticksPerSecond = 100

/** Reads what may be gone by now: a process or thread that has just ended. */
const reading = <A>(read: () => A, otherwise: A): A => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

const treeOf = (pid: number): ReadonlyArray<number> => [pid, ...descendantsOf(pid)]

/** Of the threads that live, to the nanosecond. */
const ownSeconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const stat = reading(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"), "0")
    return sum + Number(stat.split(" ")[0]) / 1e9
  }, 0)

/** Of the children that have ended and were waited for. */
const endedChildrenSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The command is in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

/** CPU seconds that a process and everything it started have used so far. */
export const cpuSecondsOf = (pid: number): number =>
  treeOf(pid).reduce(
    (sum, each) => sum + reading(() => ownSeconds(each) + endedChildrenSeconds(each), 0),
    0
  )

/** A figure of a service by what its processes are for; processes that have ended are left out. */
export interface ByRole {
  readonly service: number
  readonly rooms: number
  readonly database: number
}

const byRole = (pid: number, figureOf: (pid: number) => number): ByRole => {
  const rooms = new Set(roomProcessesOf(pid))
  const sum = (pids: ReadonlyArray<number>): number =>
    pids.reduce((total, each) => total + figureOf(each), 0)
  return {
    service: figureOf(pid),
    rooms: sum([...rooms]),
    database: sum(descendantsOf(pid).filter((each) => !rooms.has(each)))
  }
}

/** CPU seconds. */
export const cpuByRoleOf = (pid: number): ByRole =>
  byRole(pid, (each) => reading(() => ownSeconds(each), 0))

/** Each program's share of the CPU between two looks, for people. */
export const formatShares = (before: ByRole, after: ByRole): string => {
  const spent = {
    "the service's own process": after.service - before.service,
    rooms: after.rooms - before.rooms,
    PostgreSQL: after.database - before.database
  }
  const all = Object.values(spent).reduce((sum, each) => sum + each, 0)
  return Object.entries(spent)
    .map(([role, seconds]) => `${role} ${Math.round((100 * seconds) / all)} %`)
    .join(", ")
}

/** Memory of one process in KiB, pages that it shares counted by its share. */
export const pssKiBOf = (pid: number): number => {
  const rollup = reading(() => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"), "")
  return Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1] ?? 0)
}

/** Memory in KiB. */
export const pssByRoleOf = (pid: number): ByRole => byRole(pid, pssKiBOf)

/** Memory of a process and everything it started, in KiB. */
export const treePssKiBOf = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => sum + pssKiBOf(each), 0)

const quietCores = 0.1

/** Waits until a process tree does next to nothing: what was put off to the background is done. */
export const untilQuiet = async (
  pid: number,
  { withinMs = 5_000, lookEveryMs = 50 } = {}
): Promise<boolean> => {
  const deadline = performance.now() + withinMs
  let quietLooks = 0
  let before = cpuSecondsOf(pid)
  while (performance.now() < deadline) {
    await sleep(lookEveryMs)
    const now = cpuSecondsOf(pid)
    quietLooks = now - before < (quietCores * lookEveryMs) / 1000 ? quietLooks + 1 : 0
    if (quietLooks === 3) return true
    before = now
  }
  return false
}
