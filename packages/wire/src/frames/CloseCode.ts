/**
 * WebSocket close codes of the service, and what a client does after each: `stop` never reconnects,
 * `retry` reconnects with back-off. Source: D-24; spec: Events.
 */
export interface CloseCode {
  readonly code: number
  readonly name: string
  /** What a client does after it. */
  readonly client: "stop" | "retry"
  readonly says: string
}

const stop = (code: number, name: string, says: string): CloseCode => ({
  code,
  name,
  client: "stop",
  says
})
const retry = (code: number, name: string, says: string): CloseCode => ({
  code,
  name,
  client: "retry",
  says
})

/**
 * Every close code that the service sends. docs/protocol.md repeats this table; a test compares them.
 * The texts repeat numbers of limits, which a test compares. They are no part of a game's client (C-342).
 */
export const CloseCodes = {
  normal: stop(1000, "normal", "the client left, or the room let it go"),
  badFrame: stop(1003, "E_BAD_FRAME", "a text frame, or a frame that is not of the protocol"),
  slowConsumer: retry(1008, "E_SLOW_CONSUMER", "the client reads too slowly"),
  crashed: stop(1011, "E_ROOM_CRASHED", "the room failed 3 times within 1 minute"),
  restarting: retry(1012, "E_ROOM_RESTARTING", "the service or the room restarts"),
  dataOut: stop(4290, "E_DATA_OUT", "the data-out allowance is reached"),
  deleted: stop(4291, "E_ROOM_DELETED", "the room was deleted"),
  unauthenticated: stop(4401, "E_UNAUTHENTICATED", "the join credential is missing or not valid"),
  capReached: stop(4402, "E_CAP_REACHED", "a usage cap refuses new work"),
  forbidden: stop(4403, "E_PROJECT_MISMATCH", "the credential is for another project or room"),
  origin: stop(4403, "E_ORIGIN", "the project does not list the origin of the page"),
  notFound: stop(4404, "E_ROOM_NOT_FOUND", "there is no such room, type or project"),
  handshakeTimeout: retry(4408, "E_HANDSHAKE_TIMEOUT", "no hello within 5 seconds"),
  full: stop(4409, "E_ROOM_FULL", "the room has all the clients that it takes"),
  kicked: stop(4410, "E_KICKED", "an operator removed the client"),
  audienceFull: stop(4410, "E_AUDIENCE_FULL", "the room has all the viewers that it takes"),
  tooLarge: stop(4413, "E_FRAME_TOO_LARGE", "a frame of more than 1 MiB"),
  refused: stop(
    4420,
    "E_JOIN_REFUSED",
    "the room's own code refused the join or removed the client"
  ),
  unfinished: retry(4424, "E_UNFINISHED", "half-sent messages hold too much memory"),
  rateLimited: retry(4429, "E_RATE_LIMITED", "too many connections or joins"),
  waking: retry(4503, "E_TENANT_WAKING", "the server cannot take the room now")
} as const satisfies Record<string, CloseCode>
