import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { roomPath } from "@atrium/wire/frames/RoomPath"
import { MsgpackError } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { audienceTokens } from "./Audience.ts"
import { JoinError, SendError } from "./ClientErrors.ts"
import { liveClientPort, type ClientPort, type WebSocketConstructor } from "./ClientPort.ts"
import { ClientRoom } from "./ClientRoom.ts"
import { endpointOf, type Endpoint } from "./Endpoint.ts"
import { type IdentityScope, identityTokens } from "./Identity.ts"
import { type Credential, openTo, type Target } from "./OpenEndpoints.ts"
import { parseReconnectionToken } from "./ReconnectionToken.ts"

/** How a client joins: which project, and as whom. All of it may be left out on localhost. */
export interface ClientOptions {
  /** `p_…`. Left out: the schema's project, or `dev` against localhost. */
  readonly project?: string
  /**
   * A join credential. Without `token` and `getToken` the client is an anonymous player: all pages
   * of one origin in a browser are the same player, for a day.
   */
  readonly token?: string
  /** Asked before every connection, so that it may return a credential that is still valid. */
  readonly getToken?: () => string | Promise<string>
  /**
   * The credential of a device, from `keepDevice` of `@atrium/sdk/account`: the client is the player of the device,
   * also after its tokens have expired.
   */
  readonly device?: string
  /**
   * `browser`, the default: an anonymous player is the same in every tab. `tab`: one in each tab, and
   * for each Client of a page. Where a page may store nothing, each page is a player.
   */
  readonly identity?: IdentityScope
  /** In place of the global WebSocket. */
  readonly webSocket?: WebSocketConstructor
  /**
   * Time after a drop in which the client goes on trying; 0 never reconnects. A first join goes on
   * for ten seconds of it at most, while the server says that it takes no rooms now.
   */
  readonly reconnectForMs?: number
}

/** Which room, and what its code is told. */
export interface JoinOptions {
  /** Left out: the rooms `type`, `type-2`, `type-3` … of the schema's type. */
  readonly roomId?: string
  /** Any msgpack value, handed to the room's own code. */
  readonly options?: unknown
}

const RandomIdBytes = 9

/** A game's access to the rooms of one project. Source: D-24, D-25, D-27. */
export class Client {
  readonly #endpoint: Endpoint
  readonly #options: ClientOptions
  readonly #port: ClientPort
  readonly #identity: ReturnType<typeof identityTokens>
  readonly #audience: ReturnType<typeof audienceTokens>

  /** `url` is http(s) or ws(s), else this throws. The third parameter is for tests. */
  constructor(url: string, options: ClientOptions = {}, port?: ClientPort) {
    this.#endpoint = endpointOf(url)
    this.#options = options
    this.#port = port ?? liveClientPort(options.webSocket)
    this.#identity = identityTokens(this.#port, this.#endpoint.http, {
      scope: identityScope(options.identity),
      device: options.device ?? null
    })
    this.#audience = audienceTokens(this.#port, this.#endpoint.http)
    if (options.project === "") throw new Error("project: empty")
    openTo(this, {
      port: this.#port,
      http: this.#endpoint.http,
      projectOf: (schema) => this.#projectOf(schema),
      tokenOf: (project) => this.#credentialOf(project).token(),
      enter: (entered, target, credential) => this.#open(entered, target, credential)
    })
  }

  /** Joins a room of the schema's type, and creates it when it does not exist. */
  joinOrCreate<S extends AnyRoomSchema>(
    schema: S,
    options: JoinOptions = {}
  ): Promise<ClientRoom<S>> {
    return this.#joinAny(schema, options, schema.type)
  }

  /** Creates a room with an id that nobody knows yet; `room.id` is what to share. */
  create<S extends AnyRoomSchema>(
    schema: S,
    options: Pick<JoinOptions, "options"> = {}
  ): Promise<ClientRoom<S>> {
    const roomId = `${schema.type}-${base64url(this.#port.randomBytes(RandomIdBytes))}`
    return this.#open(schema, { ...targetOf(roomId, options), type: schema.type })
  }

  /** Joins a room of the schema's type that exists; else `E_ROOM_NOT_FOUND`. */
  join<S extends AnyRoomSchema>(schema: S, options: JoinOptions = {}): Promise<ClientRoom<S>> {
    return this.#joinAny(schema, options, null)
  }

  /** Joins the room of this id if it exists; else `E_ROOM_NOT_FOUND`. */
  joinById<S extends AnyRoomSchema>(
    roomId: string,
    schema: S,
    options: Pick<JoinOptions, "options"> = {}
  ): Promise<ClientRoom<S>> {
    return this.#open(schema, targetOf(roomId, options))
  }

  /**
   * Watches a relay room that exists, as one of its audience: reads, chats and sends, and writes
   * nothing. `E_AUDIENCE_DISABLED` when the project has none. Source: D-29.
   */
  async watch<S extends AnyRoomSchema>(
    roomId: string,
    schema: S,
    options: Pick<JoinOptions, "options"> = {}
  ): Promise<ClientRoom<S>> {
    const watched = { project: this.#projectOf(schema), roomId }
    return this.#open(schema, targetOf(roomId, options), {
      token: () => this.#audience.token(watched),
      renew: () => this.#audience.forgetRestored(watched)
    })
  }

  /**
   * Takes a session up again, for example after a reload of the page. A session that the room has
   * not kept is joined anew: `sessionId` tells.
   */
  async reconnect<S extends AnyRoomSchema>(
    reconnectionToken: string,
    schema: S
  ): Promise<ClientRoom<S>> {
    const token = parseReconnectionToken(reconnectionToken)
    if (token === null) {
      throw new JoinError({ code: "E_BAD_TOKEN", message: "not a reconnection token" }, null)
    }
    return this.#open(schema, { ...targetOf(token.roomId, {}), resume: token.resume })
  }

  async #joinAny<S extends AnyRoomSchema>(
    schema: S,
    options: JoinOptions,
    type: string | null
  ): Promise<ClientRoom<S>> {
    const { roomId } = options
    if (roomId !== undefined) return this.#open(schema, { ...targetOf(roomId, options), type })
    let full: JoinError | null = null
    for (let number = 1; number <= ClientLimits.clientRoomsTried.max; number += 1) {
      const id = number === 1 ? schema.type : `${schema.type}-${number}`
      try {
        return await this.#open(schema, { ...targetOf(id, options), type })
      } catch (error) {
        if (!(error instanceof JoinError)) throw error
        // After full rooms, one that does not exist says: there is no room left to join.
        if (full !== null && error.closeCode === CloseCodes.notFound.code) throw full
        if (error.closeCode !== CloseCodes.full.code) throw error
        full = error
      }
    }
    throw full ?? new Error("no room was tried")
  }

  async #open<S extends AnyRoomSchema>(
    schema: S,
    target: Target,
    credential = this.#credentialOf(this.#projectOf(schema))
  ): Promise<ClientRoom<S>> {
    demandPlain(target.options)
    try {
      return await this.#start(schema, target, credential)
    } catch (error) {
      const refused =
        error instanceof JoinError && error.closeCode === CloseCodes.unauthenticated.code
      if (!refused || !(await credential.renew())) throw error
      return this.#start(schema, target, credential)
    }
  }

  async #start<S extends AnyRoomSchema>(
    schema: S,
    target: Target,
    { token }: Credential
  ): Promise<ClientRoom<S>> {
    const reconnectForMs = this.#options.reconnectForMs ?? ClientLimits.clientReconnect.ms
    const room = new ClientRoom({
      ...target,
      port: this.#port,
      schema,
      settings: {
        baseMs: ClientLimits.clientBackoffBase.ms,
        capMs: ClientLimits.clientBackoffCap.ms,
        reconnectForMs,
        wakingForMs: Math.min(reconnectForMs, ClientLimits.clientWaking.ms),
        joinForMs: ClientLimits.clientJoin.ms,
        silentForMs: ClientLimits.clientSilence.ms,
        closeForMs: ClientLimits.clientClose.ms
      },
      url: this.#urlOf(this.#projectOf(schema), target.roomId),
      token
    })
    await room.start()
    return room
  }

  #urlOf(project: string, roomId: string): string {
    const path = roomPath(encodeURIComponent(project), encodeURIComponent(roomId))
    return `${this.#endpoint.ws}${path}`
  }

  #projectOf(schema: Pick<AnyRoomSchema, "project"> | null): string {
    const project = this.#options.project ?? schema?.project ?? null
    if (project !== null) return project
    if (this.#endpoint.local) return "dev"
    throw new JoinError(
      { code: "E_PROJECT_REQUIRED", message: "project: say which, in the client's options" },
      null
    )
  }

  #credentialOf(project: string): Credential {
    const { token, getToken } = this.#options
    const given = getToken ?? (token === undefined ? null : () => token)
    if (given !== null) return { token: async () => given(), renew: async () => false }
    return {
      token: () => this.#identity.token({ project }),
      renew: () => this.#identity.forgetRestored({ project })
    }
  }
}

const identityScope = (scope: IdentityScope = "browser"): IdentityScope => {
  if (scope === "browser" || scope === "tab") return scope
  // Plain JavaScript may pass anything.
  throw new Error(`identity: must be browser or tab, not ${String(scope)}`)
}

const targetOf = (roomId: string, options: { readonly options?: unknown }): Target => ({
  roomId,
  type: null,
  resume: null,
  options: options.options
})

// Found out only when the socket opens, it would look like a service that does not answer.
const demandPlain = (options: unknown): void => {
  try {
    packValue(options)
  } catch (error) {
    if (!(error instanceof MsgpackError)) throw error
    throw new SendError("E_NOT_PLAIN", `options: ${error.message}`)
  }
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
