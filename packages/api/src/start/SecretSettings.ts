import { readFile } from "node:fs/promises"

import { Config, Effect, Option, Redacted } from "effect"

/** A secret of the environment: in the variable itself, or in the file that `…_FILE` names. */
export interface SecretSetting {
  readonly value: Option.Option<Redacted.Redacted>
  readonly file: Option.Option<string>
}

/** The two variables of a secret. */
export const secretSetting = (name: string): Config.Config<SecretSetting> =>
  Config.all({
    value: Config.option(Config.Redacted(name)),
    file: Config.option(Config.String(`${name}_FILE`))
  })

/**
 * Reads a secret; one that is set twice, and a file without one, are refused by name.
 *
 * @returns a sentence on what does not fit, which does not repeat the secret
 */
export const readSecret = Effect.fnUntraced(function* (
  name: string,
  { value, file }: SecretSetting
) {
  if (Option.isNone(file)) return value
  const path = file.value
  if (Option.isSome(value)) {
    return yield* Effect.fail(`${name} and ${name}_FILE are both set: set one of them.`)
  }
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return `The file of ${name}_FILE cannot be read: ${reason}.`
    }
  })
  // Editors and `echo` end the line.
  const secret = text.replace(/\r?\n$/, "")
  if (secret === "") return yield* Effect.fail(`The file ${path} of ${name}_FILE is empty.`)
  return Option.some(Redacted.make(secret))
})
