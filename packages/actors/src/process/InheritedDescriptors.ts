import { closeSync, readdirSync, readFileSync } from "node:fs"

const CloseOnExec = 0o2_000_000

/**
 * Closes what this process got from the one that started it, beside its standard streams. All that
 * it starts would get it too: room processes and PostgreSQL. Called once, before anything is started.
 *
 * Node opens nothing that a child gets, and takes what it finds below its first gap from its children:
 * so whatever a child would get stands above that gap and is inherited. Without `/proc` nobody can
 * tell the two apart, and nothing is closed.
 */
export const closeInherited = (): void => {
  for (const name of namesIn("/proc/self/fd")) {
    const fd = Number(name)
    if (fd > 2 && isForChildren(fd)) close(fd)
  }
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const isForChildren = (fd: number): boolean => {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CloseOnExec) === 0
  } catch {
    // The one that the folder was read by.
    return false
  }
}

const close = (fd: number): void => {
  try {
    closeSync(fd)
  } catch {
    // It is closed, which is all that is wanted.
  }
}
