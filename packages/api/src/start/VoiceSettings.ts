import { isIP } from "node:net"

import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import type { MediaSettings } from "@atrium/voice/process/MediaMessages"
import { Config, Effect, Option, Redacted } from "effect"

import { readSecret, secretSetting } from "./SecretSettings.ts"

/** The settings of voice calls, as the environment has them. */
export const voiceSettings = Config.all({
  voice: Config.String("ATRIUM_VOICE").pipe(Config.withDefault("on")),
  ports: Config.option(Config.String("ATRIUM_VOICE_PORTS")),
  host: Config.option(Config.String("ATRIUM_VOICE_HOST")),
  address: Config.String("ATRIUM_VOICE_ADDRESS").pipe(Config.withDefault("")),
  url: Config.option(Config.String("ATRIUM_VOICE_URL")),
  secret: secretSetting("ATRIUM_VOICE_SECRET")
})
type VoiceSettings = Config.Success<typeof voiceSettings>

/**
 * Reads how the media of calls are carried. Source: C-895.
 *
 * @param serviceHost the address of the service, which is that of the media unless they have one of their own
 * @returns none = rooms of this runner have no calls; a sentence on what does not fit, without the secret
 */
export const readVoiceSettings = (
  given: VoiceSettings,
  serviceHost: string
): Effect.Effect<Option.Option<MediaSettings>, string> =>
  Effect.gen(function* () {
    const ports = yield* portsOf(given.ports)
    const janus = yield* janusOf(given)
    const addresses = yield* addressesOf(given.address)
    const host = yield* hostOf(given.host, serviceHost)
    if (given.voice !== "on" && given.voice !== "off") {
      return yield* Effect.fail(
        `ATRIUM_VOICE must be on or off, not ${JSON.stringify(given.voice)}.`
      )
    }
    return given.voice === "off" ? Option.none() : Option.some({ host, addresses, ports, janus })
  })

const janusOf = (given: VoiceSettings): Effect.Effect<MediaSettings["janus"], string> =>
  Effect.gen(function* () {
    const secret = Option.getOrUndefined(yield* readSecret("ATRIUM_VOICE_SECRET", given.secret))
    if (Option.isNone(given.url)) {
      return secret === undefined
        ? null
        : yield* Effect.fail("ATRIUM_VOICE_SECRET is set without ATRIUM_VOICE_URL: set both.")
    }
    const url = URL.parse(given.url.value)
    if (url === null || !/^wss?:$/.test(url.protocol) || url.username !== "" || url.hash !== "") {
      return yield* Effect.fail(
        "ATRIUM_VOICE_URL must be the ws or wss URL of Janus without a user, such as ws://janus:8188."
      )
    }
    if (secret === undefined) {
      return yield* Effect.fail("ATRIUM_VOICE_URL is set without ATRIUM_VOICE_SECRET: set both.")
    }
    return { url: url.href, secret: Redacted.value(secret) }
  })

const portsOf = (given: VoiceSettings["ports"]): Effect.Effect<MediaSettings["ports"], string> => {
  const { min, max } = VoiceMediaLimits.voicePorts
  if (Option.isNone(given)) return Effect.succeed({ min, max })
  const [, from = "", to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(given.value) ?? []
  const ports = { min: Number(from), max: Number(to) }
  if (from !== "" && ports.min >= min && ports.min <= ports.max && ports.max <= max) {
    return Effect.succeed(ports)
  }
  return Effect.fail(
    `ATRIUM_VOICE_PORTS must be a part of ${min}-${max}, such as ${min}-${min + 99}, not ${JSON.stringify(given.value)}.`
  )
}

/** A name would be looked up by each client, or by the process of the media. */
const addressesOf = (given: string): Effect.Effect<ReadonlyArray<string>, string> => {
  const addresses = given.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]))
  const bad = addresses.find((address) => isIP(address) === 0)
  return bad === undefined
    ? Effect.succeed(addresses)
    : Effect.fail(
        `ATRIUM_VOICE_ADDRESS: ${JSON.stringify(bad)} is no IP address such as 203.0.113.7.`
      )
}

const hostOf = (
  given: VoiceSettings["host"],
  serviceHost: string
): Effect.Effect<string, string> => {
  if (Option.isNone(given)) {
    // A service with a name is bound to that of its machine.
    return Effect.succeed(
      serviceHost === "localhost" ? "127.0.0.1" : isIP(serviceHost) === 0 ? "0.0.0.0" : serviceHost
    )
  }
  return isIP(given.value) === 0
    ? Effect.fail(
        `ATRIUM_VOICE_HOST must be an IP address such as 0.0.0.0, not ${JSON.stringify(given.value)}.`
      )
    : Effect.succeed(given.value)
}
