import { randomBytes } from "node:crypto"
import { mkdir, open, readFile } from "node:fs/promises"
import { join } from "node:path"

import { Effect, Option, Redacted } from "effect"

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

/** The key that signs join credentials: from the environment, or kept in the data folder. */
export const masterKey = (config: ServiceConfig): Effect.Effect<Uint8Array, StartRefused> =>
  Option.isSome(config.masterKey)
    ? Effect.succeed(new Uint8Array(Buffer.from(Redacted.value(config.masterKey.value), "hex")))
    : Effect.tryPromise({
        try: () => makeKey(config.dataDir),
        catch: (cause) =>
          new StartRefused({
            message: `The key ${join(config.dataDir, fileName)} cannot be used: ${
              cause instanceof Error ? cause.message : String(cause)
            }.`
          })
      })
