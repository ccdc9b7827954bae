/**
 * WebSocket close codes of the service, and what a client does after each: `stop` never reconnects,
 * `retry` reconnects with back-off. Source: D-24; spec: Events.
 */
export interface CloseCode {
  readonly code: number
  readonly name: string
  readonly then: "stop" | "retry"
  readonly says: string
}

const row = (code: number, name: string, then: "stop" | "retry", says: string): CloseCode => ({
  code,
  name,
  then,
  says
})

/** Every close code that the service sends. docs/protocol.md repeats this table; a test compares them. */
export const CloseCodes = {
  normal: row(1000, "normal", "stop", "the client left, or the room let it go"),
  badFrame: row(1003, "E_BAD_FRAME", "stop", "a text frame, or a frame that is not of the protocol"),
  slowConsumer: row(1008, "E_SLOW_CONSUMER", "retry", "the client reads too slowly"),
  crashed: row(1011, "E_ROOM_CRASHED", "stop", "the room failed three times within a minute"),
  restarting: row(1012, "E_ROOM_RESTARTING", "retry", "the service or the room restarts"),
  dataOut: row(4290, "E_DATA_OUT", "stop", "the data-out allowance is reached"),
  deleted: row(4291, "E_ROOM_DELETED", "stop", "the room was deleted"),
  unauthenticated: row(4401, "E_UNAUTHENTICATED", "stop", "the join credential is missing or not valid"),
  capReached: row(4402, "E_CAP_REACHED", "stop", "a usage cap refuses new work"),
  forbidden: row(4403, "E_PROJECT_MISMATCH", "stop", "the credential is for another project, room or origin"),
  notFound: row(4404, "E_ROOM_NOT_FOUND", "stop", "there is no such room, type or project"),
  handshakeTimeout: row(4408, "E_HANDSHAKE_TIMEOUT", "retry", "no hello within 5 seconds"),
  full: row(4409, "E_ROOM_FULL", "stop", "the room has all the clients that it takes"),
  tooLarge: row(4413, "E_FRAME_TOO_LARGE", "stop", "a frame of more than 1 MiB"),
  refused: row(4420, "E_JOIN_REFUSED", "stop", "the room's own code refused the join or removed the client"),
  rateLimited: row(4429, "E_RATE_LIMITED", "retry", "too many connections or joins"),
  waking: row(4503, "E_TENANT_WAKING", "retry", "the server cannot take the room now")
} as const satisfies Record<string, CloseCode>

/** The close code that goes with a refusal; what has none of its own is the room's own refusal. */
export const closeCodeOf = (code: string): CloseCode =>
  Object.values<CloseCode>(CloseCodes).find((row) => row.name === code) ?? CloseCodes.refused

const byCode = new Map<number, CloseCode>(Object.values(CloseCodes).map((row) => [row.code, row]))

/** Tells whether a client may reconnect after a close; an unknown code (a lost network) may. */
export const mayReconnect = (code: number): boolean => byCode.get(code)?.then !== "stop"
