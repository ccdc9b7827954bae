import { readFileSync } from "node:fs"

import { descendantsOf } from "../../packages/api/src/testing/ProcessTree.ts"

/** Linux counts CPU time in hundredths of a second. */
const ticksPerSecond = 100

const ticksOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

/** CPU seconds that a process and everything it started have used so far. */
export const cpuSecondsOf = (pid: number): number =>
  [pid, ...descendantsOf(pid)].reduce((sum, each) => sum + ticksOf(each), 0) / ticksPerSecond
