import { readdirSync, readFileSync } from "node:fs"

import { descendantsOf, isLauncherCommand } from "@atrium/api/testing/ProcessTree"

/** What a process of the service is, as its command line shows. */
export type ProcessKind =
  | "room"
  | "launcher"
  | "databaseGuardian"
  | "postmaster"
  /** Serves one connection. */
  | "backend"
  /** Any other process of PostgreSQL. */
  | "databaseWorker"
  /** Comes and goes by itself. */
  | "passing"
  | "other"

/** @param command as in /proc, with blanks between the arguments */
export const processKindOf = (command: string): ProcessKind => {
  if (command.startsWith("postgres: atrium")) return "backend"
  if (command.startsWith("postgres: autovacuum worker")) return "passing"
  if (command.startsWith("postgres:")) return "databaseWorker"
  if (/^\S+\/postgres /.test(command)) return "postmaster"
  if (command.includes(" --permission ")) return "room"
  if (isLauncherCommand(command)) return "launcher"
  return /^\/bin\/sh -c.*atrium-postgres/s.test(command) ? "databaseGuardian" : "other"
}

export interface ServiceProcess {
  readonly pid: number
  readonly kind: ProcessKind
}

/** Everything that the service has started, directly or not. */
export const serviceProcesses = (pid: number): ReadonlyArray<ServiceProcess> =>
  descendantsOf(pid).flatMap((child) => {
    const command = read(child, "cmdline")
    // An empty one is a zombie, or ended just now.
    return command === "" ? [] : [{ pid: child, kind: processKindOf(command) }]
  })

/** Memory that no file stands behind, bytes. */
export const anonBytesOf = (pid: number): number =>
  1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(read(pid, "status"))?.[1] ?? 0)

export const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}
