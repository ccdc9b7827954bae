import { existsSync, realpathSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

import type { Walls } from "./launcher/Walls.ts"
import type { Command } from "./WalledCommand.ts"

/** Its heap: hundreds of participants, and what werift is made of. */
const HeapMiB = 256
/** A port of UDP and of TCP for each participant, and some connections to it. */
const Descriptors = 8192

const program = (): string => fileURLToPath(import.meta.resolve("@atrium/voice/process/main"))

/** The folder that has the program and everything that it imports: where `node_modules` is. */
const rootOf = (path: string): string => {
  const folder = dirname(path)
  return folder === path || existsSync(`${folder}/node_modules/werift`) ? folder : rootOf(folder)
}

/** The folders that the program reads: its own, and that of the libraries where they are linked from elsewhere. */
const foldersOf = (path: string): ReadonlyArray<string> => {
  const root = rootOf(path)
  const libraries = dirname(realpathSync(`${root}/node_modules/werift`))
  return libraries.startsWith(`${root}/`) ? [root] : [root, libraries]
}

/**
 * The command line of the process that carries the media of voice calls. It may open sockets, and nothing else
 * that a room may not: it reads its own program, then becomes a user of its own and reads no file any more.
 */
export const mediaCommand = (
  nodePath: string,
  { uid, walls }: { readonly uid: number | null; readonly walls: Walls }
): Command => {
  const path = program()
  const node = [
    nodePath,
    "--permission",
    ...foldersOf(path).map((folder) => `--allow-fs-read=${folder}/*`),
    "--allow-net",
    "--no-warnings",
    "--disable-proto=delete",
    "--disable-sigusr1",
    "--no-addons",
    `--max-old-space-size=${HeapMiB}`,
    path,
    JSON.stringify({ uid })
  ]
  const script = [
    // Nothing is written before the service holds the other ends; without a service nothing begins.
    "read -r go <&3 || exit 0",
    "unset PWD OLDPWD SHLVL _ go",
    "ulimit -c 0",
    `ulimit -n ${Descriptors} 2>/dev/null || ulimit -n "$(ulimit -H -n)"`,
    'exec "$@"'
  ]
  return {
    program: "/bin/sh",
    args: ["-c", script.join("\n"), nodePath, ...wallsOf(walls, uid), ...node]
  }
}

/** It gives up root itself, when its program is loaded: it keeps the two rights that this takes until then. */
const wallsOf = ({ setpriv }: Walls, uid: number | null): ReadonlyArray<string> => {
  if (setpriv === null) return []
  const bounds = uid === null ? "-all" : "-all,+setuid,+setgid"
  const root = process.getuid?.() === 0 ? [`--bounding-set=${bounds}`] : []
  return [setpriv, ...root, "--no-new-privs", "--inh-caps=-all", "--pdeathsig=KILL"]
}
