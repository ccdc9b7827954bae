import { readdirSync, readFileSync } from "node:fs"

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly state: string
}

const rows = (): ReadonlyArray<ProcessRow> =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      // The command is in parentheses and may hold spaces; state and parent follow it.
      const [state = "", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return [{ pid: Number(name), parent: Number(parent), state }]
    } catch {
      // It ended between the listing and the reading.
      return []
    }
  })

/** Pids of everything that a process has started, and that it started in turn. */
export const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const all = rows()
  const found: Array<number> = []
  const open = [pid]
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const row of all) {
      if (row.parent !== parent) continue
      found.push(row.pid)
      open.push(row.pid)
    }
  }
  return found
}

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

/** Pids of a service's room processes, those in waiting too. */
export const roomProcessesOf = (pid: number): ReadonlyArray<number> =>
  descendantsOf(pid).filter((each) => {
    const command = commandOf(each)
    return command.includes("--permission") && !isMediaCommand(command)
  })

/** The process that carries a service's voice calls; empty = nobody has talked of late. */
export const mediaProcessesOf = (pid: number): ReadonlyArray<number> =>
  descendantsOf(pid).filter((each) => isMediaCommand(commandOf(each)))

const isMediaCommand = (command: string): boolean => command.includes("/voice/src/process/main.ts")

/** Tells of a command line whether it is the launcher's, as it stands in the repository or built. */
export const isLauncherCommand = (command: string): boolean =>
  /\/launcher(?:\/main\.ts|\.mjs) /.test(command)

/** The launcher that a service has started. */
export const launcherOf = (pid: number): number => {
  const launcher = descendantsOf(pid).find((each) => isLauncherCommand(commandOf(each)))
  if (launcher === undefined) throw new Error("the service has no launcher")
  return launcher
}

/** Pids of the processes of a service's own PostgreSQL that serve its connections. */
export const backendsOf = (pid: number): ReadonlyArray<number> =>
  descendantsOf(pid).filter((each) => commandOf(each).startsWith("postgres: atrium atrium"))

/** The pids whose process still runs; a zombie does not. */
export const stillRunning = (pids: ReadonlyArray<number>): ReadonlyArray<number> => {
  const known = new Set(pids)
  return rows()
    .filter((row) => known.has(row.pid) && row.state !== "Z")
    .map((row) => row.pid)
}

/** Sends a signal to all of them; one that has ended meanwhile gets none. */
export const signalAll = (pids: ReadonlyArray<number>, name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if (Object(error).code !== "ESRCH") throw error
    }
  }
}

/** Lets a process and all that it has started stand still, or go on. What starts or ends meanwhile is no fault. */
export const standStill = (pid: number, still: boolean): void => {
  if (!still) {
    signalAll([pid, ...descendantsOf(pid)], "SIGCONT")
    return
  }
  // It starts nothing more once it stands still; what it has started just before shows in the next look.
  const stopped = new Set<number>()
  for (let fresh: ReadonlyArray<number> = [pid]; fresh.length > 0;) {
    signalAll(fresh, "SIGSTOP")
    for (const each of fresh) stopped.add(each)
    fresh = descendantsOf(pid).filter((each) => !stopped.has(each))
  }
}
