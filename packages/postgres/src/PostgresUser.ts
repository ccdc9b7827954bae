import { execFile } from "node:child_process"
import { statSync } from "node:fs"

import { Effect } from "effect"

/** A user and its group, as a spawn wants them. */
export interface Ids {
  readonly uid: number
  readonly gid: number
}

/** The user that PostgreSQL runs as; it refuses to run as root. */
export interface PostgresUser {
  readonly uid: number
  /** What to add to a spawn; `null` when the service's own user does. */
  readonly spawnAs: Ids | null
}

/** The user that other programs may run as, too. It owns the clusters of services before C-186. */
export const nobody = 65534

/** PostgreSQL's own user where the service is root. */
const ownUser: UserOrder = { name: "atrium-postgres", program: "useradd" }

interface UserOrder {
  readonly name: string
  /** What makes a system user. */
  readonly program: string
}

const ownerOf = (path: string): Ids | null => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? null : { uid: stat.uid, gid: stat.gid }
}

/**
 * An ordinary user runs PostgreSQL as itself. Root runs it as the owner of an existing cluster
 * folder, else, and instead of nobody, as a system user of its own. Where there can be no such user
 * it is nobody, and the log says so. Source: C-186.
 */
export const postgresUser = Effect.fnUntraced(function* (clusterDir: string, order = ownUser) {
  const uid = process.getuid?.() ?? nobody
  const own: PostgresUser = { uid, spawnAs: null }
  if (uid !== 0) return own
  const owner = ownerOf(clusterDir)
  const isOthers = owner !== null && owner.uid !== 0 && owner.uid !== nobody
  const spawnAs = isOthers ? owner : yield* Effect.catch(systemUser(order), sharedUser)
  const user: PostgresUser = { uid: spawnAs.uid, spawnAs }
  return user
})

const sharedUser = (why: string) =>
  Effect.as(
    Effect.logWarning(
      "PostgreSQL runs as the user nobody, which other programs may run as, too: " +
        `it gets no user of its own (${why})`
    ),
    { uid: nobody, gid: nobody }
  )

interface Ended {
  /** `null` = it did not run, or was ended by a signal. */
  readonly code: number | null
  readonly out: string
  readonly why: string
}

const run = (program: string, args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" }
    execFile(program, args, { env, timeout: 30_000 }, (error, out, said) => {
      const code = error === null ? 0 : error.code
      const why = said.trim().split("\n").at(-1) || (error?.message ?? "")
      resume(Effect.succeed({ code: typeof code === "number" ? code : null, out, why }))
    })
  })

const numberOf = ({ code, out }: Ended): number | null =>
  code === 0 && /^\d+$/.test(out.trim()) ? Number(out) : null

/** The user of this name; `null` = there is none, or it is root by another name. */
const idsOf = Effect.fnUntraced(function* (name: string) {
  const uid = numberOf(yield* run("id", ["-u", name]))
  const gid = numberOf(yield* run("id", ["-g", name]))
  return uid === null || gid === null || uid === 0 ? null : { uid, gid }
})

/**
 * Under a lock, since of two useradd that begin at once the second one replaces the user of the
 * first by one with another number.
 */
const unlessThere = 'name=$1; shift; id -u "$name" >/dev/null 2>&1 || exec "$@"'

/** Finds a system user, or makes it: without a password, a shell and a home. Errors: why it cannot be. */
export const systemUser = Effect.fnUntraced(function* ({ name, program }: UserOrder) {
  const known = yield* idsOf(name)
  if (known !== null) return known
  const made = yield* run("flock", [
    "--timeout",
    "20",
    "/etc",
    "/bin/sh",
    "-c",
    unlessThere,
    "sh",
    name,
    program,
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin",
    "--comment",
    "PostgreSQL of Atrium",
    name
  ])
  const ids = yield* idsOf(name)
  if (ids === null) return yield* Effect.fail(made.why)
  return ids
})
