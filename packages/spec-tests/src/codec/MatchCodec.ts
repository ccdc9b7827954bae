import type { OpenCall } from "./OpenCalls.ts"

/** A player who queues. */
export interface Queueing {
  readonly project: string
  readonly queue: string
  /** The token of an identity of the project. */
  readonly identity: string
  /** A party's code. */
  readonly party?: string
  readonly waitMs?: number
}

/** Where a ticket stands. */
export interface Ticket {
  readonly ticket: string
  readonly status: string
  readonly roomId: string | null
  readonly token: string | null
}

/** D-31: requests of quick match and their answers. */
export interface MatchCodec {
  join(queueing: Queueing): OpenCall
  poll(project: string, ticket: string): OpenCall
  party(wanted: {
    readonly project: string
    readonly queue: string
    readonly identity: string
    readonly size: number
  }): OpenCall
  status(project: string, queue: string): OpenCall
  /** `null` = the answer does not have the form of a ticket. */
  ticket(json: unknown): Ticket | null
  /** The code of a party. */
  code(json: unknown): string | null
  /** How many tickets wait. */
  depth(json: unknown): number | null
}

const text = (json: unknown, field: string): string | null => {
  const value: unknown = Object(json)[field]
  return typeof value === "string" ? value : null
}

/** The shapes of our decision. */
export const matchCodec: MatchCodec = {
  join: (body) => ({ method: "POST", path: "/match", body }),
  poll: (project, ticket) => ({
    method: "GET",
    path: `/match/ticket/${encodeURIComponent(ticket)}?project=${project}`
  }),
  party: (body) => ({ method: "POST", path: "/match/party", body }),
  status: (project, queue) => ({
    method: "GET",
    path: `/match/status?project=${project}&queue=${queue}`
  }),
  ticket: (json) => {
    const [ticket, status] = [text(json, "ticket"), text(json, "status")]
    if (ticket === null || status === null) return null
    return { ticket, status, roomId: text(json, "roomId"), token: text(json, "token") }
  },
  code: (json) => text(json, "code"),
  depth: (json) => {
    const { depth }: { depth?: unknown } = Object(json)
    return typeof depth === "number" ? depth : null
  }
}
