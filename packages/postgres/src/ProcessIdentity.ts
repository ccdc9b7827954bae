import { spawnSync } from "node:child_process"
import { readFileSync, readlinkSync } from "node:fs"

const textOf = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

const ps = (pid: number, column: string): string | null => {
  const answer = spawnSync("ps", ["-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" })
  const text = answer.status === 0 ? answer.stdout.trim() : ""
  return text === "" ? null : text
}

/**
 * When a process started, in an opaque form that differs between two processes that had the same pid.
 *
 * @returns `null` when no such process is alive; a zombie is not alive
 */
export const processStart = (pid: number): string | null => {
  if (process.platform !== "linux") return ps(pid, "lstart")
  const stat = textOf(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The command name stands in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null)
}

/** Tells whether a live process is a postmaster that runs on this cluster folder (a real path). */
export const isPostmasterOf = (pid: number, clusterDir: string): boolean => {
  if (process.platform !== "linux") return ps(pid, "command")?.includes(clusterDir) ?? false
  if (textOf(`/proc/${pid}/comm`)?.trim() !== "postgres") return false
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === clusterDir
  } catch {
    return false
  }
}

/** Sends a signal; a process that is gone already is fine. */
export const sendSignal = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended between the look and the signal, which is what the signal was for.
  }
}
