import { HostileWays } from "./HostileBundle.ts"
import { readerTargets } from "./ReaderTargets.ts"
import { socketCases } from "./SocketFuzz.ts"
import type { Tally } from "./Tally.ts"

type Reached = readonly [kind: string, outcome: string]

const each = (kind: string, outcomes: string): ReadonlyArray<Reached> =>
  outcomes.split(" ").map((outcome): Reached => [kind, outcome])

/**
 * Frames, codes and refusals that a run must reach, or it proves nothing. A run aims at no usage cap, no
 * deleted project and no limit of an address, so 4290, 4291, 4402 and 4429 are left out. 4503 and
 * E_NOT_STORED need a service that is full or has no store.
 */
const mustReach: ReadonlyArray<Reached> = [
  ...each("sent", "hello msg rpc chat ping rpcResult text"),
  ...each("close", "1000 1002 1003 1005 1007 1008 1009 1011 1012 3000 4999"),
  ...each("close", "4401 4403 4404 4408 4409 4413 4420"),
  ...each("error", "E_BAD_FRAME E_FRAME_TOO_LARGE E_BAD_MESSAGE E_CHAT_TOO_LONG E_CHAT_RATE"),
  ...each("error", "E_RATE_LIMITED E_UNAUTHENTICATED E_PROJECT_MISMATCH E_ROOM_NOT_FOUND"),
  ...each("error", "E_ROOM_FULL E_JOIN_REFUSED E_HANDSHAKE_TIMEOUT"),
  ...each("rpc refused", "E_ROOM_FULL E_RPC_FAILED E_RPC_BUSY E_RPC_TIMEOUT E_BAD_MESSAGE"),
  ...each("frames in a room", "pong chat chatTooLong badFrame badMessage message answered nothing"),
  ...each("http", "400 404 431"),
  ...each("http status", "200 400 401 403 404 405 413 431"),
  ...each("world, by a client", "refused taken"),
  ...each("world, by room code", "refused taken"),
  ...each("room host", "protocol code snapshotSize ready joined refused deliver kick changed"),
  ...each("room host", "saveRequested called snapshot alarms lobby voice log playerChanged"),
  ...each("room group", "neighbour alone left"),
  ...readerTargets.flatMap(({ name, refuses }): ReadonlyArray<Reached> => [
    [name, "taken"],
    ...(refuses.length === 0 ? [] : ([[name, "refused"]] as const))
  ]),
  ...socketCases.map(({ name }): Reached => [name, "as it should be"])
]

/** Goals that a run has missed. */
export const missedIn = (tally: Tally): ReadonlyArray<string> => [
  ...mustReach
    .filter(([kind, outcome]) => !tally.has(kind, outcome))
    .map(([kind, outcome]) => `${kind}: ${outcome}`),
  ...HostileWays.filter((way) => !tally.knows(`hostile room: ${way}`)).map(
    (way) => `hostile room: ${way}`
  )
]
