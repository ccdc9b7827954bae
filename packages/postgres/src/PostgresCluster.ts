import { spawn } from "node:child_process"
import {
  chownSync,
  closeSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

import { Effect, Option, Schema } from "effect"

import { Credentials, makeCredentials } from "./Credentials.ts"
import {
  DataFolderDamaged,
  DataFolderInaccessible,
  PostgresStartFailed,
  reasonOf
} from "./EmbeddedPostgresError.ts"
import { nobody, type PostgresUser } from "./PostgresUser.ts"
import { isPostmasterOf, processStart, sendSignal } from "./ProcessIdentity.ts"

/** The PostgreSQL that the packages ship; a cluster of another major version cannot be read. */
const majorVersion = "18"
const controlFileBytes = 8192

/** Everything that running a program of PostgreSQL on a cluster folder needs. */
export interface ClusterPlace {
  readonly dataDir: string
  readonly clusterDir: string
  readonly binaries: string
  readonly user: PostgresUser
}

/** PostgreSQL gets none of the service's environment, which may hold secrets. */
export const postgresEnv = { LC_ALL: "C", PATH: "/usr/local/bin:/usr/bin:/bin", TZ: "UTC" }

/**
 * How PostgreSQL is told its folder. Another user may not be allowed to walk there, but a process
 * that is put there before it becomes that user may stay.
 */
export const folderArgument = (place: ClusterPlace): string =>
  place.user.spawnAs !== null && process.platform === "linux" ? "/proc/self/cwd" : place.clusterDir

const io = <A>(path: string, run: () => A): Effect.Effect<A, DataFolderInaccessible> =>
  Effect.try({
    try: run,
    catch: (cause) =>
      new DataFolderInaccessible({
        message: `The data folder ${path} cannot be used: ${reasonOf(cause)}.`
      })
  })

/** Node's own recursive mkdir never returns where a file system has no room for a name (/proc). */
const makeFolder = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    // Another start may have made it just now.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw cause
  }
}

/** Makes the data folder when it is missing; only its owner may look inside. */
export const makeDataFolder = (dataDir: string): Effect.Effect<string, DataFolderInaccessible> =>
  io(dataDir, () => {
    makeFolder(resolve(dataDir))
    return realpathSync(dataDir)
  })

interface ProgramRun {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly input: string
}

/**
 * Runs one program of PostgreSQL to its end. The shell turns Node's socket into a real pipe, which
 * a program can open again as /dev/stdin: so no password stands on a command line or on the disk.
 */
const runProgram = (
  place: ClusterPlace,
  run: ProgramRun
): Effect.Effect<void, PostgresStartFailed> =>
  Effect.callback((resume) => {
    const child = spawn(
      "/bin/sh",
      ["-c", 'cat | "$@"', "sh", join(place.binaries, "bin", run.program), ...run.args],
      {
        cwd: run.cwd,
        env: postgresEnv,
        // Its own process group: a Ctrl-C is for the service to hear, and the pipeline ends as one.
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
        ...place.user.spawnAs
      }
    )
    let said = ""
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4096)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.stdin.on("error", () => {})
    child.stdin.end(run.input)
    const fail = (reason: string) =>
      resume(
        Effect.fail(
          new PostgresStartFailed({ message: `PostgreSQL's ${run.program} failed: ${reason}.` })
        )
      )
    child.on("error", (cause) => fail(reasonOf(cause)))
    child.on("close", (code) => {
      if (code === 0) resume(Effect.void)
      else if (said.includes("could not look up effective user ID")) {
        fail(
          `user ${place.user.uid} has no name on this machine, and PostgreSQL wants one; ` +
            "add it to /etc/passwd or set DATABASE_URL"
        )
      } else fail(/(?:FATAL|PANIC|ERROR|error): *(.+)/.exec(said)?.[1] ?? said.trim())
    })
    return Effect.sync(() => {
      if (child.pid !== undefined) sendSignal(-child.pid, "SIGKILL")
    })
  })

const writeDurably = (path: string, text: string): void => {
  const file = openSync(path, "w", 0o600)
  writeFileSync(file, text)
  fsyncSync(file)
  closeSync(file)
}

const removeDrafts = (place: ClusterPlace): void => {
  for (const name of readdirSync(place.dataDir)) {
    if (!name.startsWith(`${basename(place.clusterDir)}.new.`)) continue
    rmSync(join(place.dataDir, name), { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * Makes a new cluster with the role and the database `atrium`. It grows beside its final place and
 * is renamed at the end, so that a start that was cut short leaves nothing half made.
 */
const createCluster = Effect.fnUntraced(function* (place: ClusterPlace, durable: boolean) {
  const credentials = makeCredentials()
  const draft = yield* io(place.dataDir, () => {
    removeDrafts(place)
    const draft = mkdtempSync(`${place.clusterDir}.new.`)
    if (place.user.spawnAs !== null)
      chownSync(draft, place.user.spawnAs.uid, place.user.spawnAs.gid)
    return draft
  })
  const folder = folderArgument({ ...place, clusterDir: draft })
  yield* runProgram(place, {
    program: "initdb",
    args: [
      "-D",
      folder,
      "-U",
      "postgres",
      "--locale=C",
      "--encoding=UTF8",
      "--auth-host=scram-sha-256",
      "--auth-local=reject",
      "--pwfile=/dev/stdin",
      // Its passwords are 24 random bytes: to hash one 4,096 times at each connection protects nothing, and takes 3 ms
      // of the service's own thread.
      "-c",
      "scram_iterations=1",
      ...(durable ? [] : ["--no-sync"])
    ],
    cwd: draft,
    input: credentials.postgres
  })
  yield* runProgram(place, {
    program: "postgres",
    args: ["--single", "-D", folder, ...(durable ? [] : ["-F"]), "postgres"],
    cwd: draft,
    input:
      `CREATE ROLE atrium LOGIN PASSWORD '${credentials.atrium}';\n` +
      "CREATE DATABASE atrium OWNER atrium;\n"
  })
  yield* io(place.dataDir, () => {
    writeDurably(join(place.dataDir, "credentials.json"), JSON.stringify(credentials))
    renameSync(draft, place.clusterDir)
  })
  return credentials
})

const damaged = (place: ClusterPlace, what: string): DataFolderDamaged =>
  new DataFolderDamaged({ message: `The data folder ${place.dataDir} is damaged: ${what}.` })

const readOrNull = (place: ClusterPlace, path: string) =>
  io(place.dataDir, () =>
    statSync(path, { throwIfNoEntry: false }) === undefined ? null : readFileSync(path)
  )

const checkVersion = Effect.fnUntraced(function* (place: ClusterPlace) {
  const file = yield* readOrNull(place, join(place.clusterDir, "PG_VERSION"))
  if (file === null) return yield* damaged(place, "cluster/PG_VERSION is missing")
  const version = file.toString().trim()
  if (!/^\d{1,2}(\.\d+)?$/.test(version)) {
    return yield* damaged(place, "cluster/PG_VERSION does not name a version")
  }
  if (version !== majorVersion) {
    return yield* new DataFolderDamaged({
      message:
        `The data folder ${place.dataDir} was written by PostgreSQL ${version}, and this is ` +
        `PostgreSQL ${majorVersion}: dump it with the old version and restore it into a new folder.`
    })
  }
})

/** Looks at an existing cluster before PostgreSQL does, for the faults that have a clear name. */
const openCluster = Effect.fnUntraced(function* (place: ClusterPlace) {
  const owner = yield* io(place.dataDir, () =>
    statSync(place.clusterDir, { throwIfNoEntry: false })
  )
  if (owner === undefined) return yield* damaged(place, "cluster is missing")
  if (!owner.isDirectory()) return yield* damaged(place, "cluster is not a folder")
  if (owner.uid !== place.user.uid) {
    return yield* new DataFolderInaccessible({
      message:
        `The data folder ${place.dataDir} belongs to user ${owner.uid}, and PostgreSQL would run ` +
        `as user ${place.user.uid}: start as its owner or choose another folder.`
    })
  }
  yield* checkVersion(place)
  const control = yield* readOrNull(place, join(place.clusterDir, "global/pg_control"))
  if (control === null) return yield* damaged(place, "cluster/global/pg_control is missing")
  if (control.length !== controlFileBytes) {
    return yield* damaged(place, `cluster/global/pg_control is not ${controlFileBytes} bytes long`)
  }
  const kept = yield* readOrNull(place, join(place.dataDir, "credentials.json"))
  if (kept === null) return yield* damaged(place, "credentials.json is missing")
  const credentials = Schema.decodeUnknownOption(Schema.fromJsonString(Credentials))(
    kept.toString()
  )
  if (Option.isNone(credentials)) return yield* damaged(place, "credentials.json does not parse")
  return credentials.value
})

/** Opens the cluster of a data folder, or makes it at the first start. */
export const prepareCluster = Effect.fnUntraced(function* (place: ClusterPlace, durable: boolean) {
  const present = yield* io(
    place.dataDir,
    () => statSync(place.clusterDir, { throwIfNoEntry: false }) !== undefined
  )
  return present ? yield* reopenCluster(place) : yield* createCluster(place, durable)
})

/** Opens a cluster that must be there: an empty one in its place would hide what was lost. */
export const reopenCluster = Effect.fnUntraced(function* (place: ClusterPlace) {
  const credentials = yield* openCluster(place)
  yield* endOrphan(place)
  return credentials
})

/**
 * Gives a cluster of the user `nobody` to the user that PostgreSQL runs as now. The folder itself
 * changes its owner last, so that the next start completes a change that was cut short. Files of other
 * users stay as they are: a hard link may lead to one.
 */
export const takeOver = Effect.fnUntraced(function* (place: ClusterPlace) {
  const { clusterDir, user } = place
  const { spawnAs } = user
  const folder = yield* io(place.dataDir, () => statSync(clusterDir, { throwIfNoEntry: false }))
  if (spawnAs === null || folder?.uid !== nobody || spawnAs.uid === nobody) return
  yield* endOrphan(place)
  yield* io(place.dataDir, () => {
    const entries = readdirSync(clusterDir, { recursive: true, withFileTypes: true })
    const paths = entries.map((entry) => join(entry.parentPath, entry.name))
    for (const path of [...paths, clusterDir]) {
      if (lstatSync(path).uid === nobody) lchownSync(path, spawnAs.uid, spawnAs.gid)
    }
  })
})

const waitForEnd = Effect.fnUntraced(function* (pid: number) {
  while (processStart(pid) !== null) yield* Effect.sleep("20 millis")
})

/**
 * Ends a postmaster that outlived its service and its guardian, and forgets the pid file of a dead
 * one. PostgreSQL itself refuses to start when an unrelated process has got the old pid.
 */
const endOrphan = Effect.fnUntraced(function* (place: ClusterPlace) {
  const pidFile = join(place.clusterDir, "postmaster.pid")
  const text = yield* readOrNull(place, pidFile)
  if (text === null) return
  const pid = Number.parseInt(text.toString(), 10)
  if (pid > 0 && isPostmasterOf(pid, place.clusterDir)) {
    for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
      sendSignal(pid, signal)
      const ended = yield* Effect.timeoutOption(waitForEnd(pid), "5 seconds")
      if (Option.isSome(ended)) break
    }
  }
  yield* io(place.dataDir, () => rmSync(pidFile, { force: true }))
})
