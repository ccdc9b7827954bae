import { statSync } from "node:fs"

/** Who runs PostgreSQL, which refuses to run as root. */
export interface PostgresUser {
  readonly uid: number
  /** What to add to a spawn; `null` when the service's own user does. */
  readonly spawnAs: { readonly uid: number; readonly gid: number } | null
}

/** The user "nobody", who owns nothing on a usual machine. */
const nobody = 65534

const ownerOf = (path: string): { readonly uid: number; readonly gid: number } | null => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? null : { uid: stat.uid, gid: stat.gid }
}

/**
 * An ordinary user runs PostgreSQL as itself. Root runs it as the owner of an existing cluster
 * folder (made by that user earlier), else as nobody.
 */
export const postgresUser = (clusterDir: string): PostgresUser => {
  const uid = process.getuid?.() ?? nobody
  if (uid !== 0) return { uid, spawnAs: null }
  const owner = ownerOf(clusterDir)
  const spawnAs = owner === null || owner.uid === 0 ? { uid: nobody, gid: nobody } : owner
  return { uid: spawnAs.uid, spawnAs }
}
