import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { Client } from "../client/Client.ts"
import { RequestError } from "../client/ClientErrors.ts"
import type { ClientRoom } from "../client/ClientRoom.ts"
import {
  askOpen,
  fieldsOf,
  notOfForm,
  type OpenEndpoints,
  openEndpointsOf
} from "../client/OpenEndpoints.ts"

/** Where a ticket stands while it waits. Source: D-31. */
export interface MatchProgress {
  /** Since when the player waits. */
  readonly since: Date
  /** Why, such as `band 1450–1650 has 3 of 4; no room with a free seat`. */
  readonly why: string
}

/** How a player queues; all of it may be left out. */
export interface MatchOptions {
  /** Left out: the queue of the schema, else the project's only one. */
  readonly queue?: string
  /** A code of {@link party}: its players are matched together. */
  readonly party?: string
  /** 0 to 120,000 ms; left out = 30,000. */
  readonly waitMs?: number
  /** Any msgpack value, handed to the room's own code. */
  readonly options?: unknown
  /** Hears about every second where the ticket stands. */
  readonly onProgress?: (progress: MatchProgress) => void
  /** Ends the wait; a match that is made meanwhile goes on without the player. */
  readonly signal?: AbortSignal
}

/**
 * Queues, waits for a match, and joins its room.
 *
 * Errors: `RequestError` E_NO_MATCH (nobody came in time, or the player queued again),
 * E_QUEUE_NO_TYPE, E_PARTY_CODE, E_PARTY_FULL, E_RATE_LIMITED, E_UNREACHABLE and the other codes of the service; `JoinError` as of
 * every join. A wait that the signal ends rejects with the signal's reason.
 */
export const match = async <S extends AnyRoomSchema>(
  client: Client,
  schema: S,
  options: MatchOptions = {}
): Promise<ClientRoom<S>> => {
  const endpoints = openEndpointsOf(client)
  const project = endpoints.projectOf(schema)
  const { party, waitMs, signal } = options
  const queue = options.queue ?? schema.queue ?? undefined
  const identity = await endpoints.tokenOf(project)
  const body = { project, queue, identity, party, waitMs }
  let ticket = ticketOf(await askOpen(endpoints, joinPath, { method: "POST", body, signal }))
  while (ticket.status === "waiting") {
    const { since, why } = ticket
    options.onProgress?.({ since, why })
    await slept(endpoints, signal)
    const path = `${joinPath}/ticket/${encodeURIComponent(ticket.id)}`
    ticket = await polled(endpoints, { path, project, signal }, ticket)
  }
  const { roomId, token, status } = ticket
  if (status === "expired") throw new RequestError("E_NO_MATCH", "nobody came in time")
  if (status === "retired") throw new RequestError("E_NO_MATCH", "the player has queued again")
  if (roomId === null || token === null) throw notOfForm(joinPath)
  const target = { roomId, type: schema.type, resume: null, options: options.options }
  return endpoints.enter(schema, target, { token: async () => token, renew: async () => false })
}

/** What players of a party share. */
export interface Party {
  /** Each of them gives it to {@link match}. */
  readonly code: string
  /** From then on nobody joins by it any more. */
  readonly expiresAt: Date
}

/**
 * Makes a party: players who queue with its code are matched together, in one team. They wait until `size` of them,
 * 2 when left out, have queued.
 *
 * Errors: `RequestError` with the code of the service, such as E_BAD_REQUEST for a party that no team holds.
 */
export const party = async (
  client: Client,
  { queue, size }: { readonly queue?: string; readonly size?: number } = {}
): Promise<Party> => {
  const endpoints = openEndpointsOf(client)
  const project = endpoints.projectOf(null)
  const path = `${joinPath}/party`
  const { code, expiresAt } = fieldsOf(
    await askOpen(endpoints, path, { method: "POST", body: { project, queue, size } })
  )
  if (typeof code !== "string" || typeof expiresAt !== "string") throw notOfForm(path)
  return { code, expiresAt: new Date(expiresAt) }
}

const joinPath = "/match"

interface Ticket {
  readonly id: string
  readonly status: string
  readonly since: Date
  readonly why: string
  readonly roomId: string | null
  readonly token: string | null
}

const ticketOf = (json: unknown): Ticket => {
  const { ticket, status, since, why, roomId, token } = fieldsOf(json)
  if (typeof ticket !== "string" || typeof status !== "string") throw notOfForm(joinPath)
  return {
    id: ticket,
    status,
    since: new Date(String(since)),
    why: typeof why === "string" ? why : "",
    roomId: typeof roomId === "string" ? roomId : null,
    token: typeof token === "string" ? token : null
  }
}

interface Poll {
  readonly path: string
  readonly project: string
  readonly signal: AbortSignal | undefined
}

/** Refusals after which the ticket stands as before. */
const passing: ReadonlySet<string> = new Set(["E_UNREACHABLE", "E_RATE_LIMITED", "E_NOT_READY"])

const polled = async (
  endpoints: OpenEndpoints,
  { path, project, signal }: Poll,
  before: Ticket
): Promise<Ticket> => {
  try {
    return ticketOf(await askOpen(endpoints, path, { query: { project }, signal }))
  } catch (error) {
    const passes = error instanceof RequestError && passing.has(error.code)
    if (!passes || signal?.aborted === true) throw error
    return before
  }
}

const slept = ({ port }: OpenEndpoints, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = port.after(ClientLimits.ticketPoll.ms, () => {
      signal?.removeEventListener("abort", end)
      resolve()
    })
    if (signal?.aborted === true) end()
    else signal?.addEventListener("abort", end, { once: true })
  })
