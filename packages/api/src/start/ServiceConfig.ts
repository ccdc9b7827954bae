import { resolve } from "node:path"
import { parseArgs } from "node:util"

import type { LinkSettings } from "@atrium/actors/link/LinkListener"
import type { S3Settings } from "@atrium/actors/objects/S3Requests"
import { LaunchedVariable } from "@atrium/actors/process/launcher/LauncherMessages"
import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { type AddressRules, readNetworks } from "@atrium/domain/shared/ClientAddress"
import { isSecret } from "@atrium/domain/shared/Ids"
import type { SiteAddresses } from "@atrium/domain/sites/SiteAddress"
import type { MediaSettings } from "@atrium/voice/process/MediaMessages"
import { Config, Data, Effect, Option, Redacted } from "effect"

import type { SmtpSettings } from "../mail/SmtpSender.ts"
import { linkSettings, readLinkSettings } from "./LinkSettings.ts"
import { mailSettings, readMailSettings } from "./MailSettings.ts"
import { meterSettings, type PlanConfig, readMeterSettings } from "./MeterSettings.ts"
import { objectsSettings, readObjectsSettings } from "./ObjectsSettings.ts"
import { type OperationsConfig, operationsSettings, readOperations } from "./OperationsSettings.ts"
import { readSecret, type SecretSetting, secretSetting } from "./SecretSettings.ts"
import { readSiteSettings, siteSettings } from "./SiteSettings.ts"
import { readVoiceSettings, voiceSettings } from "./VoiceSettings.ts"

/** The reason why the service cannot start, in one sentence for the person who tried. */
export class StartRefused extends Data.TaggedError("StartRefused")<{ readonly message: string }> {}

/** Why a service that ran cannot go on: nothing that it still holds can be stored by it. */
export class StoreLost extends Data.TaggedError("StoreLost")<{ readonly message: string }> {}

/** How this service is to run. Source: D-50. */
export interface ServiceConfig extends OperationsConfig {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** An existing PostgreSQL; none = the embedded one, in the data folder. */
  readonly databaseUrl: Option.Option<Redacted.Redacted>
  /** The owner's login token at the first start; none = one is made and shown. */
  readonly bootstrapToken: Option.Option<Redacted.Redacted>
  /** The key that signs join credentials; none = one in the data folder. */
  readonly masterKey: Option.Option<Redacted.Redacted>
  /** Where the bytes of large objects go; none = into PostgreSQL. Source: C-466. */
  readonly objects: Option.Option<S3Settings>
  /** `host:port` at which other runners reach this one; none = this is the only runner. */
  readonly runnerAddress: Option.Option<string>
  /** Where other runners reach the rooms of this one; none = this is the only runner. */
  readonly link: Option.Option<LinkSettings>
  /** The limit for projects that have set none; none = the default. Spec: Project limits. */
  readonly connectionsPerIpPerMin: Option.Option<number>
  readonly addresses: AddressRules
  /** Hosts of JWKS addresses that may be private. Source: C-542. */
  readonly jwksHosts: ReadonlyArray<string>
  /** How browsers reach the sites of projects. */
  readonly sites: SiteAddresses
  readonly plans: PlanConfig
  /** Where mails go out; none = alerts are logged and not mailed. Source: C-504. */
  readonly smtp: Option.Option<SmtpSettings>
  /** How the media of voice calls are carried; none = rooms have no calls. Source: C-895. */
  readonly voice: Option.Option<MediaSettings>
  /** Frames wait for others under load. */
  readonly sendWindows: boolean
  /** Strangers may play the examples at `/play`. Source: C-393. */
  readonly playground: boolean
  /** The launcher has started this service, as in the image: it is the parent process. */
  readonly launched: boolean
}

const fromEnvironment = Config.all({
  host: Config.String("ATRIUM_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Int("PORT").pipe(Config.withDefault(8787)),
  dataDir: Config.String("ATRIUM_DATA").pipe(Config.withDefault(".atrium"), Config.map(resolve)),
  databaseUrl: secretSetting("DATABASE_URL"),
  bootstrapToken: secretSetting("ATRIUM_BOOTSTRAP_TOKEN"),
  masterKey: secretSetting("ATRIUM_MASTER_KEY"),
  runnerAddress: Config.option(Config.String("ATRIUM_RUNNER_ADDRESS")),
  connections: Config.option(Config.String("SERVICE_CONNECTIONS_PER_IP_PER_MIN")),
  trustedProxies: Config.String("ATRIUM_TRUSTED_PROXIES").pipe(Config.withDefault("")),
  launched: Config.String(LaunchedVariable).pipe(
    Config.withDefault(""),
    Config.map((value) => value !== "" && process.connected)
  ),
  exemptAddresses: Config.String("ATRIUM_EXEMPT_ADDRESSES").pipe(Config.withDefault("")),
  jwksHosts: Config.String("ATRIUM_JWKS_HOSTS").pipe(Config.withDefault("")),
  windows: Config.String("ATRIUM_SEND_WINDOWS").pipe(Config.withDefault("on")),
  demo: Config.option(Config.String("ATRIUM_DEMO")),
  linkListen: linkSettings,
  objectsSettings,
  siteSettings,
  meterSettings,
  mailSettings,
  voiceSettings,
  operationsSettings
})

/** Reads the environment; what does not fit is refused by name, and no secret is repeated. */
export const readServiceConfig: Effect.Effect<ServiceConfig, StartRefused> = Effect.gen(
  function* () {
    const {
      connections,
      trustedProxies,
      exemptAddresses,
      jwksHosts,
      windows,
      demo,
      siteSettings: given,
      meterSettings: plans,
      mailSettings: mail,
      voiceSettings: voice,
      operationsSettings: operations,
      objectsSettings: objects,
      linkListen,
      ...read
    } = yield* Effect.mapError(
      fromEnvironment,
      () => new StartRefused({ message: "PORT must be a whole number from 0 to 65535." })
    )
    const config = { ...read, ...(yield* secretsOf(read)) }
    if (config.port < 0 || config.port > 65_535) {
      return yield* new StartRefused({ message: "PORT must be a whole number from 0 to 65535." })
    }
    const token = Option.getOrUndefined(config.bootstrapToken)
    if (token !== undefined && !isSecret("loginToken", Redacted.value(token))) {
      return yield* new StartRefused({
        message: "ATRIUM_BOOTSTRAP_TOKEN must be ct_ and 43 characters of A-Z a-z 0-9 _ -."
      })
    }
    const key = Option.getOrUndefined(config.masterKey)
    if (key !== undefined && !/^[0-9a-f]{64}$/.test(Redacted.value(key))) {
      return yield* new StartRefused({
        message: "ATRIUM_MASTER_KEY must be 64 hex characters (openssl rand -hex 32)."
      })
    }
    const address = Option.getOrUndefined(config.runnerAddress)
    if (address !== undefined && !/^[^:]+:\d{1,5}$/.test(address)) {
      return yield* new StartRefused({ message: "ATRIUM_RUNNER_ADDRESS must be host:port." })
    }
    return {
      ...config,
      ...(yield* bySentence(readOperations(operations, config.port))),
      link: yield* bySentence(readLinkSettings(linkListen, address)),
      objects: yield* bySentence(readObjectsSettings(objects)),
      sites: yield* bySentence(readSiteSettings(given, config.port)),
      plans: yield* bySentence(readMeterSettings(plans)),
      voice: yield* bySentence(readVoiceSettings(voice, config.host)),
      smtp: yield* bySentence(readMailSettings(mail)),
      sendWindows: yield* switchOf("ATRIUM_SEND_WINDOWS", windows),
      playground: Option.isSome(demo)
        ? yield* switchOf("ATRIUM_DEMO", demo.value)
        : isForNewcomer(config) && trustedProxies === "",
      connectionsPerIpPerMin: yield* connectionsOf(connections),
      jwksHosts: yield* hostsOf(jwksHosts),
      addresses: {
        trustedProxies: yield* networksOf("ATRIUM_TRUSTED_PROXIES", trustedProxies),
        exempt: yield* networksOf("ATRIUM_EXEMPT_ADDRESSES", exemptAddresses)
      }
    }
  }
)

const bySentence = <A>(read: Effect.Effect<A, string>): Effect.Effect<A, StartRefused> =>
  Effect.mapError(read, (message) => new StartRefused({ message }))

const switchOf = (name: string, given: string): Effect.Effect<boolean, StartRefused> => {
  if (given === "on" || given === "off") return Effect.succeed(given === "on")
  const message = `${name} must be on or off, not ${JSON.stringify(given)}.`
  return Effect.fail(new StartRefused({ message }))
}

/** A service as a newcomer starts it: with a PostgreSQL of its own, and reached from this machine alone. */
const isForNewcomer = ({
  host,
  databaseUrl
}: Pick<ServiceConfig, "host" | "databaseUrl">): boolean =>
  Option.isNone(databaseUrl) && ["127.0.0.1", "::1", "localhost"].includes(host)

const secretsOf = ({ databaseUrl, bootstrapToken, masterKey }: Secrets) =>
  Effect.all({
    databaseUrl: readSecret("DATABASE_URL", databaseUrl),
    bootstrapToken: readSecret("ATRIUM_BOOTSTRAP_TOKEN", bootstrapToken),
    masterKey: readSecret("ATRIUM_MASTER_KEY", masterKey)
  }).pipe(bySentence)

type Secrets = Record<"databaseUrl" | "bootstrapToken" | "masterKey", SecretSetting>

/** The settings of the command line. None of them is inherited from an environment. */
export interface StartArguments {
  /** Where test mode listens, on this machine alone; none = there is no test mode. Source: D-49. */
  readonly controlPort: Option.Option<number>
  /** The master key of this start becomes the database's, whatever key it was made with. */
  readonly newMasterKey: boolean
}

const badArguments = new StartRefused({
  message:
    "The only arguments are --control-port with a whole number from 0 to 65535, and --new-master-key."
})

export const readArguments = (
  args: ReadonlyArray<string>
): Effect.Effect<StartArguments, StartRefused> =>
  Effect.gen(function* () {
    const { values } = yield* Effect.try({
      try: () => parseArgs({ args: [...args], options: startOptions }),
      catch: () => badArguments
    })
    const port = values["control-port"]
    if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
      return yield* badArguments
    }
    return {
      controlPort: Option.map(Option.fromUndefinedOr(port), Number),
      newMasterKey: values["new-master-key"] === true
    }
  })

const startOptions = {
  "control-port": { type: "string" },
  "new-master-key": { type: "boolean" }
} as const

const connectionsOf = (
  given: Option.Option<string>
): Effect.Effect<Option.Option<number>, StartRefused> => {
  if (Option.isNone(given)) return Effect.succeedNone
  const { min, max } = ProjectLimits.connectionsPerIpPerMin
  const count = /^\d{1,9}$/.test(given.value) ? Number(given.value) : Number.NaN
  if (count >= min && count <= max) return Effect.succeedSome(count)
  const why = count === 0 ? ": 0 would let nobody in" : ""
  return Effect.fail(
    new StartRefused({
      message: `SERVICE_CONNECTIONS_PER_IP_PER_MIN must be a whole number from ${min} to ${max}${why}.`
    })
  )
}

/** A host as a URL has it: `login.school.internal`, `10.0.0.7`, or an IPv6 address without brackets. */
const hostsOf = (given: string): Effect.Effect<ReadonlyArray<string>, StartRefused> => {
  const hosts = given.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]))
  const bad = hosts.find((host) => !/^(?:[a-z0-9._-]+|[0-9a-f:]+)$/.test(host))
  return bad === undefined
    ? Effect.succeed(hosts)
    : Effect.fail(
        new StartRefused({
          message: `ATRIUM_JWKS_HOSTS: ${JSON.stringify(bad)} is no host such as login.example.com or 10.0.0.7.`
        })
      )
}

const networksOf = (
  name: string,
  given: string
): Effect.Effect<AddressRules["exempt"], StartRefused> => {
  const read = readNetworks(given)
  return "networks" in read
    ? Effect.succeed(read.networks)
    : Effect.fail(
        new StartRefused({
          message: `${name}: ${JSON.stringify(read.bad)} is no address and no network such as 10.0.0.0/8.`
        })
      )
}
