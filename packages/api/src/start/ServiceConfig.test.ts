import { expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"

import { controlPortOf, readServiceConfig } from "./ServiceConfig.ts"

const name = "SERVICE_CONNECTIONS_PER_IP_PER_MIN"
const read = (env: Record<string, string>) =>
  readServiceConfig.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

it.effect.each([
  ["1", 1],
  ["120", 120],
  ["100000", 100_000]
] as const)("[project.connections.env] %s connections a minute are taken", ([text, count]) =>
  Effect.gen(function* () {
    const config = yield* read({ [name]: text })
    expect(config.connectionsPerIpPerMin).toEqual(Option.some(count))
  })
)

it.effect("[project.connections.env] nothing said is nothing set", () =>
  Effect.gen(function* () {
    expect((yield* read({})).connectionsPerIpPerMin).toEqual(Option.none())
  })
)

it.effect("[T-25] 0 is refused, with the reason", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(read({ [name]: "0" }))
    expect(message).toBe(`${name} must be a whole number from 1 to 100000: 0 would let nobody in.`)
  })
)

it.effect.each(["100001", "-1", "1.5", "1e3", "ten", " 5", "9".repeat(400)])(
  "[T-25] %j is refused by name",
  (text) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ [name]: text }))
      expect(message).toBe(`${name} must be a whole number from 1 to 100000.`)
    })
)

it.effect.each([
  [[], Option.none()],
  [["--control-port", "0"], Option.some(0)],
  [["--control-port=8788"], Option.some(8788)],
  [["--control-port", "65535"], Option.some(65_535)]
] as const)("[D-49] test mode is asked for by %j", ([args, port]) =>
  Effect.gen(function* () {
    expect(yield* controlPortOf(args)).toEqual(port)
  })
)

it.effect.each([
  ["--control-port"],
  ["--control-port", "65536"],
  ["--control-port", "-1"],
  ["--control-port="],
  ["--control-port", "0", "more"],
  ["--control"]
])("[D-49] %j is no way to ask for it, and is refused", (args) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(controlPortOf(args))
    expect(message).toContain("--control-port")
  })
)
