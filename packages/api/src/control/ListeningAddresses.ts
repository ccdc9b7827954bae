import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** A file of `/proc`; empty = the process has ended. */
const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const processes = (): ReadonlyArray<{ readonly pid: number; readonly parent: number }> =>
  readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : ""
    if (stat === "") return []
    // The command is in parentheses and may hold spaces; state and parent follow it.
    const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return [{ pid: Number(name), parent: Number(parent) }]
  })

const withDescendants = (pid: number): ReadonlyArray<number> => {
  const all = processes()
  const found = [pid]
  // The list grows while it is walked.
  for (const parent of found) {
    found.push(...all.filter((each) => each.parent === parent).map((each) => each.pid))
  }
  return found
}

/** Errors: `Error` of Node when the process is another user's. */
const socketsOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`)) ?? []
      return inode === undefined ? [] : [inode]
    })
  } catch (cause) {
    // It has ended meanwhile.
    if (read(`/proc/${pid}/stat`) === "") return []
    throw cause
  }
}

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

/** Four bytes at a time, each in the byte order of the machine, as `/proc/net/tcp` shows them. */
const hostOf = (hex: string): string => {
  const bytes = Buffer.from(hex, "hex")
  const host = Buffer.concat(
    Array.from({ length: bytes.length / 4 }, (_, at) =>
      Buffer.from(bytes.subarray(4 * at, 4 * at + 4)).reverse()
    )
  )
  if (host.length === 4) return [...host].join(".")
  const parts = Array.from({ length: 8 }, (_, at) => host.readUInt16BE(2 * at).toString(16))
  return `[${parts.join(":")}]`
}

const listening = "0A"

/**
 * Every `host:port` at which a process and those that it has started listen for TCP connections, as the system says.
 * Linux alone. Errors: `Error` of Node without `/proc`, or when one of the processes is another user's.
 */
export const listeningAddresses = (pid: number): ReadonlyArray<string> => {
  const owned = new Set(withDescendants(pid).flatMap(socketsOf))
  const tables = [readFileSync(`/proc/${pid}/net/tcp`, "utf8"), read(`/proc/${pid}/net/tcp6`)]
  const rows = tables.flatMap((table) => table.trim().split("\n").slice(1))
  return rows.flatMap((row) => {
    const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/)
    const [host = "", port = ""] = local.split(":")
    if (state !== listening || !owned.has(inode)) return []
    return [`${hostOf(host)}:${Number.parseInt(port, 16)}`]
  })
}
