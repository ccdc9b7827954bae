import { ClientLimits } from "@atrium/wire/client/ClientLimits"

import type { Client } from "../client/Client.ts"
import type { Unsubscribe } from "../client/Listeners.ts"
import {
  fieldsOf,
  notOfForm,
  type OpenEndpoints,
  openEndpointsOf,
  readOpen
} from "../client/OpenEndpoints.ts"
import { poll, toldTo } from "../client/Polling.ts"

/** Where a player is. Source: D-32. */
export interface PlayerPresence {
  readonly playerId: string
  /** The room that the player came into last; `null` = the player is in none. */
  readonly roomId: string | null
  /** Since when; `null` = the player is in no room. */
  readonly since: Date | null
}

/** What a watch of players calls. */
export interface PresenceWatch {
  /** Hears where the players are: at first, and after each change. */
  readonly onChange: (players: ReadonlyArray<PlayerPresence>) => void
  /**
   * Hears why a watch has ended by itself, for example `E_NOT_FOUND`: there is no such project. Without it the
   * error goes to `window.onerror` or `uncaughtException`.
   */
  readonly onError?: (error: unknown) => void
}

const path = "/v1/presence"

/**
 * Tells where 1 to 100 players are, in their order, each once. An address may ask 120 times a minute, 30 times
 * at once.
 *
 * Errors: `RequestError` with the code of the service, such as `E_RATE_LIMITED`, or `E_UNREACHABLE`.
 */
export const presence = async (
  client: Client,
  players: ReadonlyArray<string>
): Promise<ReadonlyArray<PlayerPresence>> =>
  (await read(openEndpointsOf(client), { players: players.join() })).players

/**
 * Tells where 1 to 100 players are: now, and after each change within a second, until the function that it
 * returns is called. An address may watch 20 times a minute, 5 times at once: more frequent changes are told
 * together.
 */
export const watchPresence = (
  client: Client,
  players: ReadonlyArray<string>,
  { onChange, onError }: PresenceWatch
): Unsubscribe => {
  const endpoints = openEndpointsOf(client)
  const { elapsedMs } = endpoints.port
  const { ms } = ClientLimits.presenceWait
  let cursor: string | undefined
  return poll(endpoints.port, {
    failed: toldTo(onError),
    ask: async (signal) => {
      const beganMs = elapsedMs()
      const query = { players: players.join(), wait: String(ms / 1000), cursor }
      const answer = await read(endpoints, query, signal)
      if (signal.aborted) return 0
      if (answer.cursor !== cursor) {
        cursor = answer.cursor
        onChange(answer.players)
        return 0
      }
      // A runner that ends answers at once, with nothing new.
      return Math.max(0, Math.min(ClientLimits.pollBackoffBase.ms, ms - (elapsedMs() - beganMs)))
    }
  })
}

const read = async (
  endpoints: OpenEndpoints,
  query: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal
) => {
  const asked = { project: endpoints.projectOf(null), ...query }
  const body = await readOpen(endpoints, path, {
    query: asked,
    ...(signal === undefined ? {} : { signal })
  })
  const { players, cursor } = fieldsOf(body)
  if (!Array.isArray(players) || typeof cursor !== "string") throw notOfForm(path)
  return { players: players.map(playerOf), cursor }
}

const playerOf = (row: unknown): PlayerPresence => {
  const { playerId, roomId, since } = fieldsOf(row)
  if (typeof playerId !== "string") throw notOfForm(path)
  return {
    playerId,
    roomId: typeof roomId === "string" ? roomId : null,
    since: typeof since === "string" ? new Date(since) : null
  }
}
