import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { afterAll } from "vitest"

import { readServiceConfig } from "./ServiceConfig.ts"

const folder = mkdtempSync(join(tmpdir(), "atrium-secrets-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fileWith = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const read = (env: Record<string, string>) =>
  readServiceConfig.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

const key = "0a".repeat(32)
const token = `ct_${"t".repeat(43)}`

it.effect("[C-215] each secret may be in a file; the end of its line is no part of it", () =>
  Effect.gen(function* () {
    const { databaseUrl, bootstrapToken, masterKey } = yield* read({
      DATABASE_URL_FILE: fileWith("url", "postgres://owner:hush@host/rooms\n"),
      ATRIUM_BOOTSTRAP_TOKEN_FILE: fileWith("token", token),
      ATRIUM_MASTER_KEY_FILE: fileWith("key", `${key}\r\n`)
    })
    const secrets = [databaseUrl, bootstrapToken, masterKey].map(Option.map(Redacted.value))
    const texts = ["postgres://owner:hush@host/rooms", token, key]
    expect(secrets).toEqual(texts.map((text) => Option.some(text)))
  })
)

it.effect.each(["DATABASE_URL", "ATRIUM_BOOTSTRAP_TOKEN", "ATRIUM_MASTER_KEY"])(
  "[C-215] %s in two places, in a file that is not there or empty: one sentence without the secret",
  (name) =>
    Effect.gen(function* () {
      const hush = fileWith("hush", "hush")
      const both = yield* Effect.flip(read({ [name]: "hush", [`${name}_FILE`]: hush }))
      expect(both.message).toBe(`${name} and ${name}_FILE are both set: set one of them.`)
      const gone = yield* Effect.flip(read({ [`${name}_FILE`]: join(folder, "gone") }))
      expect(gone.message).toMatch(
        new RegExp(`^The file of ${name}_FILE cannot be read: ENOENT.*gone'\\.$`)
      )
      const empty = fileWith("empty", "\n")
      const none = yield* Effect.flip(read({ [`${name}_FILE`]: empty }))
      expect(none.message).toBe(`The file ${empty} of ${name}_FILE is empty.`)
    })
)

it.effect("[C-215] a secret of a file has the form of any other", () =>
  Effect.gen(function* () {
    const path = fileWith("short", "hush")
    const { message } = yield* Effect.flip(read({ ATRIUM_MASTER_KEY_FILE: path }))
    expect(message).toMatch(/^ATRIUM_MASTER_KEY must be 64 hex characters/)
    expect(message).not.toContain("hush")
  })
)
