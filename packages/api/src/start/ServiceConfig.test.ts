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

it.effect.each([
  [{}, true],
  [{ ATRIUM_HOST: "::1" }, true],
  [{ ATRIUM_HOST: "0.0.0.0" }, false],
  [{ DATABASE_URL: "postgres://127.0.0.1/rooms" }, false],
  [{ ATRIUM_TRUSTED_PROXIES: "127.0.0.1" }, false],
  [{ ATRIUM_DEMO: "off" }, false],
  [{ ATRIUM_DEMO: "on", ATRIUM_HOST: "0.0.0.0" }, true]
] as const)("[C-393] %j: strangers may play the examples: %s", ([env, may]) =>
  Effect.gen(function* () {
    expect((yield* read(env)).playground).toBe(may)
  })
)

it.effect("[C-393] ATRIUM_DEMO=yes refuses the start", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(read({ ATRIUM_DEMO: "yes" }))
    expect(message).toBe('ATRIUM_DEMO must be on or off, not "yes".')
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
  ["ATRIUM_RUNNER_ADDRESS", "nowhere", "ATRIUM_RUNNER_ADDRESS must be host:port."],
  [
    "ATRIUM_RUNNER_ADDRESS",
    "10.0.0.5:7000",
    "Other machines reach this runner at 10.0.0.5 (ATRIUM_RUNNER_ADDRESS): set ATRIUM_LINK_LISTEN to the " +
      "host:port where it takes their clients, such as 0.0.0.0:7001."
  ],
  [
    "ATRIUM_LINK_LISTEN",
    "127.0.0.1:7001",
    "ATRIUM_LINK_LISTEN is for one of several runners: set ATRIUM_RUNNER_ADDRESS, too."
  ]
] as const)("[D-50] %s=%s is refused by name, without its value", ([variable, value, says]) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(read({ [variable]: value }))
    expect(message).toBe(says)
  })
)

it.effect.each([
  [undefined, undefined, null],
  ["127.0.0.1:7000", undefined, { host: "127.0.0.1", port: 0, advertisedHost: "127.0.0.1" }],
  ["localhost:7000", undefined, { host: "127.0.0.1", port: 0, advertisedHost: "127.0.0.1" }],
  ["10.0.0.5:7000", "0.0.0.0:7001", { host: "0.0.0.0", port: 7001, advertisedHost: "10.0.0.5" }],
  ["one.example:7000", "[::]:65535", { host: "::", port: 65_535, advertisedHost: "one.example" }]
] as const)("[C-411] the link of %s with %s listens at %o", ([own, listen, link]) =>
  Effect.gen(function* () {
    const settings = yield* read({
      ...(own === undefined ? {} : { ATRIUM_RUNNER_ADDRESS: own }),
      ...(listen === undefined ? {} : { ATRIUM_LINK_LISTEN: listen })
    })
    expect(Option.getOrNull(settings.link)).toEqual(link)
  })
)

it.effect.each(["7001", "host", "a:b:1", "::1:7001", "host:65536", "host:123456", ":7001"])(
  "[C-411] ATRIUM_LINK_LISTEN=%s is refused by name",
  (listen) =>
    Effect.gen(function* () {
      const given = { ATRIUM_RUNNER_ADDRESS: "10.0.0.5:7000", ATRIUM_LINK_LISTEN: listen }
      const { message } = yield* Effect.flip(read(given))
      expect(message).toBe(`ATRIUM_LINK_LISTEN must be host:port, not ${JSON.stringify(listen)}.`)
    })
)

it.effect.each([
  [{}, { host: "localhost", ports: null }],
  [{ ATRIUM_STATIC_HOST: "sites.example.com" }, { host: "sites.example.com", ports: null }],
  [{ ATRIUM_STATIC_PORTS: "9000-9999" }, { host: "localhost", ports: { from: 9000, to: 9999 } }],
  [{ ATRIUM_STATIC_PORTS: "9000-9000" }, { host: "localhost", ports: { from: 9000, to: 9000 } }]
] as const)("[C-358] sites are reached as the operator says: %j", ([env, sites]) =>
  Effect.gen(function* () {
    expect((yield* read(env)).sites).toEqual(sites)
  })
)

const hostForm = "ATRIUM_STATIC_HOST must be a host name in lower case without a port, not"
const portsForm = "ATRIUM_STATIC_PORTS must be a range such as 9000-9099, of at most 1000 ports."

it.effect.each([
  [{ ATRIUM_STATIC_HOST: "Sites.example" }, `${hostForm} "Sites.example".`],
  [{ ATRIUM_STATIC_HOST: "localhost:8787" }, `${hostForm} "localhost:8787".`],
  [{ ATRIUM_STATIC_HOST: "127.0.0.1" }, `${hostForm} "127.0.0.1".`],
  [{ ATRIUM_STATIC_HOST: ".example" }, `${hostForm} ".example".`],
  [{ ATRIUM_STATIC_PORTS: "9000-10000" }, portsForm],
  [{ ATRIUM_STATIC_PORTS: "9001-9000" }, portsForm],
  [{ ATRIUM_STATIC_PORTS: "9000" }, portsForm],
  [{ ATRIUM_STATIC_PORTS: "65000-65536" }, portsForm],
  [
    { ATRIUM_STATIC_PORTS: "8000-8999" },
    "ATRIUM_STATIC_PORTS must not have the port of the service, 8787."
  ],
  [
    { ATRIUM_STATIC_PORTS: "9000-9001", ATRIUM_STATIC_HOST: "sites.example" },
    "ATRIUM_STATIC_HOST and ATRIUM_STATIC_PORTS are both set: set one of them."
  ]
] as const)("[C-358] refuses the start by name: %j", ([env, sentence]) =>
  Effect.gen(function* () {
    expect((yield* Effect.flip(read(env))).message).toBe(sentence)
  })
)
