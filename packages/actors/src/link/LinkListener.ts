import { createServer, type Server } from "node:net"

import { Context, Data, Effect, Layer } from "effect"

import type { LinkStream } from "./LinkSocket.ts"

/** Where a runner takes the links of other ones. */
export interface LinkSettings {
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  /** The host at which other runners reach it. */
  readonly advertisedHost: string
}

/** The port of the link cannot be opened. */
export class LinkRefused extends Data.TaggedError("LinkRefused")<{ readonly message: string }> {}

interface Listening {
  /** `host:port` at which other runners reach this one; `null` = it is alone and takes no links. */
  readonly address: string | null
  /** From now on connections are handed out; until then they are cut off. */
  serve(accept: (stream: LinkStream) => void): void
}

/** The port at which other runners reach the rooms of this one. */
export const LinkListener = Context.Reference<Listening>("@atrium/actors/link/LinkListener", {
  defaultValue: () => ({ address: null, serve: () => {} })
})

export const linkListenerLayer = (settings: LinkSettings) =>
  Layer.effect(
    LinkListener,
    Effect.gen(function* () {
      let accept = (stream: LinkStream): void => void stream.destroy()
      const server = createServer({ noDelay: true }, (stream) => accept(stream))
      yield* Effect.acquireRelease(open(server, settings), () => Effect.sync(() => server.close()))
      const at = server.address()
      const port = at !== null && typeof at === "object" ? at.port : settings.port
      return {
        address: `${settings.advertisedHost}:${port}`,
        serve: (given: (stream: LinkStream) => void) => {
          accept = given
        }
      }
    })
  )

const open = (
  server: Server,
  { host, port }: Pick<LinkSettings, "host" | "port">
): Effect.Effect<void, LinkRefused> =>
  Effect.callback((resume) => {
    server.once("error", ({ message }) =>
      resume(
        Effect.fail(
          new LinkRefused({
            message: `${host}:${port} of ATRIUM_LINK_LISTEN cannot be opened: ${message}`
          })
        )
      )
    )
    server.listen(port, host, () => resume(Effect.void))
  })
