import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

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

/** What the system says of a process, behind its command: that is in parentheses and may hold spaces. */
const statOf = (
  pid: number
): { readonly command: string; readonly fields: ReadonlyArray<string> } => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const end = stat.lastIndexOf(")")
  return { command: stat.slice(stat.indexOf("(") + 1, end), fields: stat.slice(end + 2).split(" ") }
}

/** A process and all that it has started, in turn, but for PostgreSQL. */
const treeOf = (root: number): ReadonlyArray<number> => {
  const rows = readdirSync("/proc").flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid)) return []
    const { command, fields } = reading(() => statOf(pid), { command: "", fields: [] })
    return command === "" || command === "postgres" ? [] : [{ pid, parent: Number(fields[1]) }]
  })
  const found = [root]
  for (const parent of found) {
    for (const row of rows) if (row.parent === parent) found.push(row.pid)
  }
  return found
}

/** Of the threads that live, to the nanosecond. */
const ownSeconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const stat = reading(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"), "0")
    return sum + Number(stat.split(" ")[0]) / 1e9
  }, 0)

/** Of the children that have ended and were waited for. */
const endedChildrenSeconds = (pid: number): number => {
  const { fields } = statOf(pid)
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

/** CPU seconds of a service so far. */
export interface CpuSeconds {
  /** Of its process tree, without PostgreSQL. */
  readonly tree: number
  /** Of its own process alone, which has one thread for messages. */
  readonly own: number
}

export const cpuSecondsOf = (pid: number): CpuSeconds => ({
  tree: treeOf(pid).reduce(
    (sum, each) => sum + reading(() => ownSeconds(each) + endedChildrenSeconds(each), 0),
    0
  ),
  own: reading(() => ownSeconds(pid), 0)
})

/** Memory of the process tree without PostgreSQL, bytes; shared pages are counted by their share. */
export const memoryBytesOf = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => {
    const rollup = reading(() => readFileSync(`/proc/${each}/smaps_rollup`, "utf8"), "")
    return sum + 1024 * Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1] ?? 0)
  }, 0)

const quietCores = 0.1
const lookEveryMs = 50
const looks = 3
const quietWithinMs = 5_000

/** Waits until a service does next to nothing: what it put off to the background is done. */
export const untilQuiet = async (pid: number): Promise<void> => {
  const deadlineMs = performance.now() + quietWithinMs
  let quiet = 0
  let before = cpuSecondsOf(pid).tree
  while (quiet < looks && performance.now() < deadlineMs) {
    await sleep(lookEveryMs)
    const now = cpuSecondsOf(pid).tree
    quiet = now - before < (quietCores * lookEveryMs) / 1000 ? quiet + 1 : 0
    before = now
  }
}
