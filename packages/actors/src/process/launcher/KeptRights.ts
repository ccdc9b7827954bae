import { existsSync, readFileSync } from "node:fs"

/** The launcher's rights of root: other users for rooms, an empty bounding set, signals to them. */
export const keptRights = ["setuid", "setgid", "setpcap", "kill"]
/** The same as the kernel counts them. */
const keptMask = 0x1e0n

const setpriv = "/usr/bin/setpriv"

/** The command that gives up all rights but those that the launcher needs; `null` = there is none. */
export const keptRightsCommand = (): ReadonlyArray<string> | null =>
  process.getuid?.() === 0 && existsSync(setpriv)
    ? [
        setpriv,
        `--bounding-set=-all,${keptRights.map((name) => `+${name}`).join()}`,
        "--inh-caps=-all",
        "--no-new-privs"
      ]
    : null

/** Whether this process has more rights than the launcher needs, and could give them up. */
export const hasMoreRights = (): boolean => {
  try {
    const status = readFileSync("/proc/self/status", "utf8")
    const bounding = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`)
    return (bounding & ~keptMask) !== 0n
  } catch {
    return false
  }
}

/** The command that starts a program as a user without any right. */
export const withoutRights = (uid: number): ReadonlyArray<string> =>
  process.getuid?.() === 0
    ? [
        setpriv,
        `--reuid=${uid}`,
        `--regid=${uid}`,
        "--clear-groups",
        "--no-new-privs",
        "--inh-caps=-all",
        "--bounding-set=-all"
      ]
    : []
