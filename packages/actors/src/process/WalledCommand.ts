import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"

import { NodeDescriptor, nodeBehind, openingOf, type Walls, wallArgs } from "./launcher/Walls.ts"

/** A program and its arguments. */
export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** A program for Node that reads what tenants wrote: the code of a room, or the reader of source maps. */
interface WalledProgram {
  readonly nodePath: string
  readonly code: string
  /** The options that the program gets, as JSON, beside {@link WallOptions}. */
  readonly options: object
  readonly heapMiB: number
  /** Further flags of Node. */
  readonly flags: ReadonlyArray<string>
  /** The most data that the process may map; `null` where the kernel does not limit it. */
  readonly dataKiB: number | null
  readonly uid: number | null
  readonly walls: Walls
  /** The process begins at once, and not when the service says so. */
  readonly begins?: boolean
  /** The kernel runs rooms before it. */
  readonly gives?: boolean
}

/** Behind rooms, yet far from standing still beside them. */
const Niceness = 5

/** The walls that the program puts up itself. */
interface WallOptions {
  /** The uid and gid to become; `null` = setpriv has changed them, or they stay. */
  readonly uid: number | null
  /** Where Node's own file is open; `null` = it was run by its path. */
  readonly nodeDescriptor: number | null
}

/**
 * The command line of a process behind all walls: it may read no file and open no socket, its
 * environment is empty, and the kernel bounds its descriptors, on Linux its memory, and with a user
 * of its own its threads. Source: docs/isolation.md, "What room code can reach".
 */
export const walledCommand = (program: WalledProgram): Command => {
  const { nodePath, code, options, heapMiB, flags, dataKiB, uid, walls, begins, gives } = program
  const left: WallOptions = {
    uid: walls.setpriv === null ? uid : null,
    nodeDescriptor: walls.opensNode ? NodeDescriptor : null
  }
  const node = [
    nodeBehind(walls, nodePath),
    "--permission",
    "--no-warnings",
    "--disable-proto=delete",
    "--disable-sigusr1",
    "--no-addons",
    `--max-old-space-size=${heapMiB}`,
    "--max-semi-space-size=4",
    ...flags,
    "--input-type=module",
    "--eval",
    code,
    JSON.stringify({ ...options, ...left })
  ]
  const script = [
    // Nothing is written before the service holds the other ends; without a service nothing begins.
    begins === true ? "" : "read -r go <&3 || exit 0",
    // Shells export some variables of their own: the environment is empty.
    "unset PWD OLDPWD SHLVL _ go",
    `ulimit -c 0; ulimit -n ${RoomProcessLimits.roomDescriptors.max}`,
    dataKiB === null ? "" : `ulimit -d ${dataKiB}`,
    openingOf(walls),
    gives === true ? `exec nice -n ${Niceness} "$@"` : 'exec "$@"'
  ]
  const shell = ["-c", script.filter((line) => line !== "").join("\n"), nodePath]
  return { program: "/bin/sh", args: [...shell, ...wallArgs(walls, uid), ...node] }
}
