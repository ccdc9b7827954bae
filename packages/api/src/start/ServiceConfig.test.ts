import { expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"

import { readArguments, readServiceConfig } from "./ServiceConfig.ts"

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

it.effect("[C-130] of addresses nothing is said, or networks", () =>
  Effect.gen(function* () {
    const { addresses } = yield* read({})
    expect(addresses).toEqual({ trustedProxies: [], exempt: [] })
    const given = yield* read({
      ATRIUM_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8",
      ATRIUM_EXEMPT_ADDRESSES: "::1"
    })
    expect(given.addresses.trustedProxies.map(String)).toEqual(["127.0.0.1/32", "10.0.0.0/8"])
    expect(given.addresses.exempt.map(String)).toEqual(["::1/128"])
  })
)

it.effect.each(["ATRIUM_TRUSTED_PROXIES", "ATRIUM_EXEMPT_ADDRESSES"])(
  "[C-130] an entry of %s that is no network refuses the start and is named",
  (variable) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ [variable]: "10.0.0.0/8, localhost" }))
      expect(message).toBe(
        `${variable}: "localhost" is no address and no network such as 10.0.0.0/8.`
      )
    })
)

it.effect.each([
  [{}, true],
  [{ ATRIUM_SEND_WINDOWS: "on" }, true],
  [{ ATRIUM_SEND_WINDOWS: "off" }, false]
] as const)("[C-266] %j: frames wait for others under load: %s", ([env, waits]) =>
  Effect.gen(function* () {
    expect((yield* read(env)).sendWindows).toBe(waits)
  })
)

it.effect.each(["OFF", "false", "0"])("[C-266] send windows %j refuse the start", (text) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(read({ ATRIUM_SEND_WINDOWS: text }))
    expect(message).toBe(`ATRIUM_SEND_WINDOWS must be on or off, not ${JSON.stringify(text)}.`)
  })
)

it.effect.each([
  [[], Option.none()],
  [["--control-port", "0"], Option.some(0)],
  [["--control-port=8788"], Option.some(8788)],
  [["--control-port", "65535"], Option.some(65_535)]
] as const)("[D-49] test mode is asked for by %j", ([args, port]) =>
  Effect.gen(function* () {
    expect(yield* readArguments(args)).toEqual({ controlPort: port, newMasterKey: false })
  })
)

it.effect.each([
  ["--control-port"],
  ["--control-port", "65536"],
  ["--control-port", "-1"],
  ["--control-port="],
  ["--control-port", "0", "more"],
  ["--control"],
  ["--new-master-key=yes"]
])("[D-49] %j is no way to ask for it, and is refused", (args) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(readArguments(args))
    expect(message).toContain("--control-port")
  })
)

it.effect("[C-211] a new master key is asked for by an argument", () =>
  Effect.gen(function* () {
    const controlPort = Option.none()
    expect(yield* readArguments(["--new-master-key"])).toEqual({ controlPort, newMasterKey: true })
  })
)

const portText = "PORT must be a whole number from 0 to 65535."
it.effect.each([
  ["PORT", "eighty", portText],
  ["PORT", "65536", portText],
  ["PORT", "-1", portText],
  [
    "ATRIUM_BOOTSTRAP_TOKEN",
    "ct_short",
    "ATRIUM_BOOTSTRAP_TOKEN must be ct_ and 43 characters of A-Z a-z 0-9 _ -."
  ],
  [
    "ATRIUM_MASTER_KEY",
    "abc",
    "ATRIUM_MASTER_KEY must be 64 hex characters (openssl rand -hex 32)."
  ],
  ["ATRIUM_RUNNER_ADDRESS", "nowhere", "ATRIUM_RUNNER_ADDRESS must be host:port."]
] as const)("[D-50] %s=%s is refused by name, without its value", ([variable, value, says]) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(read({ [variable]: value }))
    expect(message).toBe(says)
  })
)
