import { expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"

import { readLogSettings } from "./LogSettings.ts"

const read = (env: Record<string, string>) =>
  readLogSettings.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

it.effect("[C-175] nothing said is info, in the format of the terminal", () =>
  Effect.gen(function* () {
    expect(yield* read({})).toEqual({ format: Option.none(), level: "Info" })
  })
)

it.effect.each([
  ["json", "debug", "Debug"],
  ["logfmt", "warn", "Warn"],
  ["pretty", "error", "Error"]
] as const)("[C-175] the format %s and the level %s are taken", ([format, name, level]) =>
  Effect.gen(function* () {
    const settings = yield* read({ ATRIUM_LOG_FORMAT: format, ATRIUM_LOG_LEVEL: name })
    expect(settings).toEqual({ format: Option.some(format), level })
  })
)

it.effect.each([
  ["ATRIUM_LOG_FORMAT", "JSON", 'is "JSON"; it must be pretty, logfmt, json.'],
  ["ATRIUM_LOG_FORMAT", "\u001b", 'is "\\u001b"; it must be pretty, logfmt, json.'],
  ["ATRIUM_LOG_LEVEL", "loud", 'is "loud"; it must be debug, info, warn, error.'],
  ["ATRIUM_LOG_LEVEL", "toString", 'is "toString"; it must be debug, info, warn, error.']
] as const)("[C-175] %s=%j is refused by name", ([name, value, why]) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(read({ [name]: value }))
    expect(message).toBe(`${name} ${why}`)
  })
)
