import { randomBytes } from "node:crypto"
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { Effect, Option, Schema } from "effect"
import type { Scope } from "effect"

import { DataFolderInaccessible, DataFolderInUse, reasonOf } from "./EmbeddedPostgresError.ts"
import { processStart } from "./ProcessIdentity.ts"

/** The holder of a data folder. The start tells a live holder from a stranger that got its pid later. */
const Holder = Schema.Struct({ pid: Schema.Int, start: Schema.String })
type Holder = typeof Holder.Type

const decodeHolder = Schema.decodeUnknownOption(Schema.fromJsonString(Holder))

const readText = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const liveHolder = (text: string): Holder | null => {
  const holder = Option.getOrNull(decodeHolder(text))
  return holder !== null && processStart(holder.pid) === holder.start ? holder : null
}

/** The file appears with its content in one step, so that nobody reads a lock half written. */
const tryLink = (lockPath: string, text: string): boolean => {
  const draft = `${lockPath}.${process.pid}.${randomBytes(4).toString("hex")}`
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" })
  try {
    linkSync(draft, lockPath)
    return true
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return false
    throw cause
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Moves a dead holder's file away. Of several processes that see it dead, the rename lets one win. A
 * process that has moved a live holder's file instead puts it back.
 */
const removeStale = (lockPath: string): void => {
  const aside = `${lockPath}.stale.${process.pid}.${randomBytes(4).toString("hex")}`
  try {
    renameSync(lockPath, aside)
  } catch {
    return
  }
  const moved = readText(aside)
  if (liveHolder(moved) !== null) tryLink(lockPath, moved)
  rmSync(aside, { force: true })
}

const lockOnce = (lockPath: string, text: string): Holder | null => {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (tryLink(lockPath, text)) return null
    const holder = liveHolder(readText(lockPath))
    if (holder !== null) return holder
    removeStale(lockPath)
  }
  throw new Error("other processes keep taking and leaving it")
}

/**
 * Holds a data folder for this process until the scope closes. The lock of a process that died is
 * taken over.
 */
export const lockDataFolder = (
  dataDir: string
): Effect.Effect<void, DataFolderInUse | DataFolderInaccessible, Scope.Scope> =>
  Effect.gen(function* () {
    const lockPath = join(dataDir, "lock")
    const text = JSON.stringify({ pid: process.pid, start: processStart(process.pid) ?? "" })
    const holder = yield* Effect.acquireRelease(
      Effect.try({
        try: () => lockOnce(lockPath, text),
        catch: (cause) =>
          new DataFolderInaccessible({
            message: `The data folder ${dataDir} cannot be locked: ${reasonOf(cause)}.`
          })
      }),
      (other) =>
        other === null ? Effect.sync(() => rmSync(lockPath, { force: true })) : Effect.void
    )
    if (holder !== null) {
      return yield* new DataFolderInUse({
        pid: holder.pid,
        message: `The data folder ${dataDir} is in use by process ${holder.pid}.`
      })
    }
  })
