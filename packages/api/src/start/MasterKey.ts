import { randomBytes } from "node:crypto"
import { mkdir, open, readFile } from "node:fs/promises"
import { join } from "node:path"

import { hasMasterKey, isMasterKey, replaceMasterKey } from "@atrium/actors/store/MasterKeyVerifier"
import { Effect, Option, Redacted } from "effect"

import { livingRunner } from "./OneConfiguration.ts"
import { type ServiceConfig, StartRefused } from "./ServiceConfig.ts"

const fileName = "master.key"

const readKey = async (path: string): Promise<Uint8Array> => {
  const text = (await readFile(path, "utf8")).trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error("it does not hold 64 hex characters")
  return new Uint8Array(Buffer.from(text, "hex"))
}

const makeKey = async (dataDir: string): Promise<Uint8Array> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, fileName)
  try {
    const file = await open(path, "wx", 0o600)
    try {
      await file.writeFile(randomBytes(32).toString("hex"))
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (cause) {
    const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST"
    if (!exists) throw cause
  }
  return readKey(path)
}

type KeySettings = Pick<ServiceConfig, "masterKey" | "dataDir">

const refused = (message: string) => new StartRefused({ message })

/** The key of the environment, or of the data folder; `null` = there is none yet. */
const presentKey = (config: KeySettings): Effect.Effect<Uint8Array | null, StartRefused> =>
  Option.isSome(config.masterKey)
    ? Effect.succeed(new Uint8Array(Buffer.from(Redacted.value(config.masterKey.value), "hex")))
    : usable(config, async (path) => {
        try {
          return await readKey(path)
        } catch (cause) {
          if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null
          throw cause
        }
      })

const usable = <Key>(
  { dataDir }: KeySettings,
  use: (path: string) => Promise<Key>
): Effect.Effect<Key, StartRefused> =>
  Effect.tryPromise({
    try: () => use(join(dataDir, fileName)),
    catch: (cause) => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return refused(`The key ${join(dataDir, fileName)} cannot be used: ${reason}.`)
    }
  })

const placeOf = ({ masterKey, dataDir }: KeySettings): string =>
  Option.isSome(masterKey) ? "ATRIUM_MASTER_KEY" : join(dataDir, fileName)

interface KeyStart {
  /** The key of this start becomes the database's, whatever key it was made with. */
  readonly accept: boolean
  /** The name of this runner's connection. */
  readonly session: string
}

/**
 * The key that signs join credentials: from the environment, or kept in the data folder. A database
 * is served with the key that it was made with, as every credential of its projects depends on it.
 */
export const masterKey = Effect.fn("start.masterKey")(
  function* (config: KeySettings, { accept, session }: KeyStart) {
    const present = yield* presentKey(config)
    if (present === null && !accept && (yield* hasMasterKey)) {
      return yield* refused(
        `The master key ${placeOf(config)} is missing, and this database was made with one: put it back, ` +
          "or set ATRIUM_MASTER_KEY to it, or start once with --new-master-key (docs/operations.md)."
      )
    }
    const key = present ?? (yield* usable(config, () => makeKey(config.dataDir)))
    if (accept) {
      const other = yield* livingRunner(session)
      if (other !== null) {
        return yield* refused(
          `--new-master-key is for a database that no other Atrium runs on, and ${other} runs on it: ` +
            "stop every runner first (docs/operations.md)."
        )
      }
      yield* replaceMasterKey(key)
    }
    if (yield* isMasterKey(key)) return key
    return yield* refused(
      `${placeOf(config)} is not the master key that this database was made with: start with that one, ` +
        "or once with --new-master-key (docs/operations.md)."
    )
  },
  Effect.catchTag(["SqlError", "SchemaError"], ({ message }) =>
    refused(`The master key cannot be compared with the database's: ${message}.`)
  )
)
