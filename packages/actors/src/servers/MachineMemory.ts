import { readFileSync } from "node:fs"

/** Memory of the machine that the service runs on, or of its container when that has less. */
export interface MachineMemory {
  readonly totalBytes: number
  /** Memory that programs could still take: unused, or filled with files that can be read again. */
  readonly availableBytes: number
}

/** Where a container's limits are: of cgroup v2, and of v1. */
const groups = [
  {
    folder: "/sys/fs/cgroup",
    limit: "memory.max",
    used: "memory.current",
    files: "inactive_file"
  },
  {
    folder: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    files: "total_inactive_file"
  }
]

/**
 * Reads it as the system tells it now; `null` where it does not, and then the machine's memory counts
 * for nothing. `process.availableMemory()` is of no use in a container: it takes files that were read
 * for memory that is gone.
 *
 * @param read the text of a file; `null` = there is none
 */
export const machineMemory = (
  read: (path: string) => string | null = readText
): MachineMemory | null => {
  const machine = machineOf(read("/proc/meminfo") ?? "")
  if (machine === null) return null
  return groups.reduce((least, group) => {
    const { folder } = group
    const totalBytes = Number(read(`${folder}/${group.limit}`) ?? Number.NaN)
    const usedBytes = Number(read(`${folder}/${group.used}`) ?? Number.NaN)
    // "max" is no number; without a limit v1 says one that no machine has.
    if (!(totalBytes < machine.totalBytes) || Number.isNaN(usedBytes)) return least
    const stat = read(`${folder}/memory.stat`) ?? ""
    const filesBytes = Number(new RegExp(`^${group.files} (\\d+)$`, "m").exec(stat)?.[1] ?? 0)
    const availableBytes = Math.max(0, totalBytes - usedBytes + filesBytes)
    return availableBytes < least.availableBytes ? { totalBytes, availableBytes } : least
  }, machine)
}

const machineOf = (text: string): MachineMemory | null => {
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(text)?.[1]) * 1024
  const machine = { totalBytes: bytes("MemTotal"), availableBytes: bytes("MemAvailable") }
  return Object.values(machine).every(Number.isFinite) ? machine : null
}

const readText = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8").trim()
  } catch {
    return null
  }
}
