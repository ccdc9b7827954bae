import { randomBytes } from "node:crypto"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"

import { isSecret } from "@atrium/domain/shared/Ids"
import { Config, Effect, FileSystem, Option, type PlatformError, Schema } from "effect"

import { Misused } from "../CommandFailure.ts"

const token = Schema.String.check(Schema.makeFilter((text) => isSecret("loginToken", text)))

/** What `atrium login` keeps of one control plane. `expiresAt` was true at the login: use puts it off. */
const Login = Schema.Struct({
  token,
  tokenId: Schema.String,
  accountId: Schema.String,
  name: Schema.String,
  expiresAt: Schema.NullOr(Schema.String)
})
export type Login = typeof Login.Type

/** By origin. */
type Logins = Readonly<Record<string, Login>>

const Content = Schema.fromJsonString(
  Schema.Struct({ logins: Schema.Record(Schema.String, Login) })
)

/** Path of the file, below `XDG_CONFIG_HOME` or `~/.config`. A relative variable counts for nothing. */
export const loginsPath = Effect.gen(function* () {
  const variables = Config.all({
    folder: Config.option(Config.String("XDG_CONFIG_HOME")),
    home: Config.option(Config.String("HOME"))
  })
  const { folder, home } = yield* Effect.orDie(variables)
  const base = Option.getOrElse(Option.filter(folder, isAbsolute), () =>
    join(Option.getOrElse(Option.filter(home, isAbsolute), homedir), ".config")
  )
  return join(base, "atrium", "credentials.json")
})

/** The login at a control plane, or `null`. Refused when the file cannot be read. */
export const findLogin = Effect.fn("LoginsFile.find")(function* (origin: string) {
  return (yield* readLogins)[origin] ?? null
})

/** Keeps the login at a control plane in place of the one before it. */
export const keepLogin = Effect.fn("LoginsFile.keep")(function* (origin: string, login: Login) {
  yield* writeLogins({ ...(yield* readLogins), [origin]: login })
})

/** Keeps no login at a control plane any longer. */
export const forgetLogin = Effect.fn("LoginsFile.forget")(function* (origin: string) {
  const { [origin]: _, ...others } = yield* readLogins
  yield* writeLogins(others)
})

const readLogins = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* loginsPath
  const text = yield* fs.readFileString(path).pipe(
    Effect.catch((error) => {
      const absent = error.reason._tag === "NotFound"
      return absent ? Effect.succeed(null) : unusable(path, error)
    })
  )
  if (text === null) return {}
  const { logins } = yield* Effect.mapError(
    Schema.decodeEffect(Content)(text),
    // The schema's own words would show the tokens.
    () => new Misused({ message: `${path}: not a file of \`atrium login\`; mend or remove it` })
  )
  return logins
})

/** Whole or not at all, and for nobody else to read, not even while it is being written. */
const writeLogins = Effect.fnUntraced(function* (logins: Logins) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* loginsPath
  const written = `${path}.${randomBytes(4).toString("hex")}`
  const text = `${JSON.stringify({ logins }, null, 2)}\n`
  yield* fs.makeDirectory(dirname(path), { recursive: true, mode: 0o700 }).pipe(
    Effect.andThen(fs.chmod(dirname(path), 0o700)),
    Effect.andThen(fs.writeFileString(written, text, { flag: "wx", mode: 0o600 })),
    Effect.andThen(fs.rename(written, path)),
    Effect.onError(() => Effect.ignore(fs.remove(written))),
    Effect.catch((error) => unusable(path, error))
  )
})

const unusable = (path: string, { message }: PlatformError.PlatformError) =>
  Effect.fail(new Misused({ message: `${path}: ${message}` }))
