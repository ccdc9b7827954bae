import { linkListenerLayer, type LinkSettings } from "@atrium/actors/link/LinkListener"
import { hostPortOf, readHostPort } from "@atrium/domain/shared/HostPort"
import { Config, Effect, Layer, Option } from "effect"

/** `host:port` at which this runner takes the clients of others; none = a free port of this machine alone. */
export const linkSettings = Config.option(Config.String("ATRIUM_LINK_LISTEN"))

const onThisMachine = /^(localhost|127\.\d+\.\d+\.\d+)$/

/**
 * Where the link of a runner listens, and where other runners reach it: at the host of its own address. Errors: a
 * sentence.
 *
 * @param runnerAddress `host:port`; absent = it is alone: there is no link
 */
export const readLinkSettings = (
  setting: Option.Option<string>,
  runnerAddress: string | undefined
): Effect.Effect<Option.Option<LinkSettings>, string> => {
  const given = Option.getOrUndefined(setting)
  if (runnerAddress === undefined) {
    return given === undefined
      ? Effect.succeedNone
      : Effect.fail(
          "ATRIUM_LINK_LISTEN is for one of several runners: set ATRIUM_RUNNER_ADDRESS, too."
        )
  }
  const { host } = hostPortOf(runnerAddress)
  if (given === undefined) {
    return onThisMachine.test(host)
      ? Effect.succeedSome({ host: "127.0.0.1", port: 0, advertisedHost: "127.0.0.1" })
      : Effect.fail(
          `Other machines reach this runner at ${host} (ATRIUM_RUNNER_ADDRESS): set ATRIUM_LINK_LISTEN to the ` +
            "host:port where it takes their clients, such as 0.0.0.0:7001."
        )
  }
  const listen = readHostPort(given)
  return listen === null
    ? Effect.fail(`ATRIUM_LINK_LISTEN must be host:port, not ${JSON.stringify(given)}.`)
    : Effect.succeedSome({ ...listen, advertisedHost: host })
}

/** A runner that is alone opens no port for others. */
export const linkLayer = ({ link }: { readonly link: Option.Option<LinkSettings> }) =>
  Option.match(link, { onNone: () => Layer.empty, onSome: linkListenerLayer })
