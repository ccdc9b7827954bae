import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"

/** How a room's process gives up rights before Node runs in it. */
export interface Walls {
  /** The program that gives up rights; `null` = boot changes the uid, and more is not there. */
  readonly setpriv: string | null
  /** The program that bounds a uid's processes; `null` = there is none, or rooms have no uid of their own. */
  readonly prlimit: string | null
  /** `null` = rooms have the uid of the one that starts them. */
  readonly firstUid: number | null
  /** The rooms' users cannot reach Node by its path (a folder above it is closed to them): it is opened before. */
  readonly opensNode: boolean
}

/** The warning for an operator whose rooms share the uid of the service. */
const SharedUserNotice =
  "rooms run as this service's own user, as only root can give each of them another one: " +
  "docs/isolation.md says what that means"

/** The warning for an operator whose rooms keep rights that they could give up. */
const NoSetprivNotice =
  "rooms keep their bounding set and may gain rights: setpriv (util-linux) is missing here or may not act"

const folders = ["/usr/bin", "/bin"]
const programAt = (name: string): string | null =>
  folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? null

/** How rooms of this uid are walled in: arguments that stand before Node's own. */
export const wallArgs = ({ setpriv, prlimit, firstUid }: Walls, uid: number | null) => {
  if (setpriv === null) return []
  const own = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"]
  // Without CAP_SETPCAP the bounding set stays; without new privileges nothing of it can be had.
  const root = process.getuid?.() === 0 ? ["--bounding-set=-all"] : []
  const always = ["--no-new-privs", "--inh-caps=-all", "--pdeathsig=KILL"]
  const processes = `--nproc=${RoomProcessLimits.roomThreads.max}:${RoomProcessLimits.roomThreads.max}`
  return [
    ...(prlimit === null || firstUid === null ? [] : [prlimit, processes]),
    setpriv,
    ...(uid === null ? [] : own),
    ...root,
    ...always
  ]
}

/** The descriptor of Node's file where `opensNode` says so. The process closes it first of all. */
export const NodeDescriptor = 9

/** The file that a process behind these walls runs. */
export const nodeBehind = ({ opensNode }: Walls, nodePath: string): string =>
  opensNode ? `/proc/self/fd/${NodeDescriptor}` : nodePath

/** The line of a shell, called with Node's path as `$0`, that opens Node's file. */
export const openingOf = ({ opensNode }: Walls): string =>
  opensNode ? `exec ${NodeDescriptor}<"$0"` : ""

/**
 * Finds the walls that hold here, by starting Node behind them once and reading what the kernel says
 * of it: setpriv itself does not tell of what it could not take away.
 */
export const findWalls = (nodePath: string, firstUid: number | null): Walls => {
  const setpriv = programAt("setpriv")
  const prlimit = firstUid === null ? null : programAt("prlimit")
  const all: ReadonlyArray<Walls> = [false, true].map((opensNode) => ({
    setpriv,
    prlimit,
    firstUid,
    opensNode
  }))
  const none: Walls = { setpriv: null, prlimit: null, firstUid, opensNode: false }
  return all.find((walls) => holds(walls, nodePath)) ?? none
}

const holds = (walls: Walls, nodePath: string): boolean => {
  if (walls.setpriv === null) return false
  const outside = `${openingOf(walls)}\nexec "$@"`
  const inside = 'cat /proc/self/status && exec "$0" --version >/dev/null'
  const probe = ["/bin/sh", "-c", inside, nodeBehind(walls, nodePath)]
  const args = ["-c", outside, nodePath, ...wallArgs(walls, walls.firstUid), ...probe]
  const { status, stdout } = spawnSync("/bin/sh", args, { env: {}, cwd: "/", encoding: "utf8" })
  return status === 0 && isWalledIn(stdout, walls.firstUid)
}

/** Whether a process with this text in `/proc/<pid>/status` can gain nothing. */
export const isWalledIn = (status: string, uid: number | null): boolean => {
  const fields = new Map(
    status.split("\n").map((line) => {
      const [name = "", ...values] = line.split("\t")
      return [name, values.map((value) => value.trim())]
    })
  )
  const isNone = (name: string): boolean => BigInt(`0x${fields.get(name)?.[0] ?? "1"}`) === 0n
  const empty = process.getuid?.() !== 0 || (isNone("CapBnd:") && isNone("CapPrm:"))
  const own = uid === null || fields.get("Uid:")?.every((value) => value === String(uid)) === true
  return fields.get("NoNewPrivs:")?.[0] === "1" && empty && own
}

/** Notices for the operator about these walls. */
export const noticesOf = ({ setpriv, firstUid }: Walls): ReadonlyArray<string> => [
  ...(firstUid === null ? [SharedUserNotice] : []),
  ...(setpriv === null && process.platform === "linux" ? [NoSetprivNotice] : [])
]
