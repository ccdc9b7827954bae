import { Links, type ServerName } from "@atrium/actors/link/Links"
import { LedPlayers } from "@atrium/actors/migrations/LedPlayers"
import type { AwakeRoom } from "@atrium/actors/rooms/AwakeRoom"
import type { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import type { Entrance } from "@atrium/actors/rooms/ClientGate"
import type { PlayerFields } from "@atrium/actors/rooms/PlayerFields"
import type { StoredPlayer } from "@atrium/actors/rooms/PlayerStore"
import { ServerActor, serverKeyText } from "@atrium/actors/servers/ServerProtocol"
import { hashSecretHex } from "@atrium/actors/store/Secrets"
import { entryBar } from "@atrium/domain/rooms/InertRoom"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { Data, Effect } from "effect"
import { EntityId, Sharding } from "effect/cluster"

import type { Hello } from "./Hello.ts"
import type { JoinTerms } from "./JoinTerms.ts"
import type { PlayerClaims, PlayerTokens } from "./PlayerTokens.ts"
import type { JoiningClient } from "./RemoteJoin.ts"

/** A join that was refused: the code of the error frame, which names the close code too. */
export class JoinRefused extends Data.TaggedError("JoinRefused")<{
  readonly code: string
  readonly message: string
}> {}

/** The services that a join asks. */
export type JoinServices =
  | PlayerTokens
  | JoinTerms
  | AwakeRooms
  | PlayerFields
  | LedPlayers
  | Links
  | Sharding.Sharding

/** A client whose credential is proven, and the room that it enters. */
export interface Entering {
  readonly key: RoomKey
  readonly hello: Hello
  readonly claims: PlayerClaims
}

/** What the client's credential and hello say of it, for a room of any runner. */
export const entranceOf = ({ hello, claims }: Entering, sessionId: string) => ({
  type: hello.type,
  schemaHash: hello.schemaHash,
  playerId: claims.playerId,
  name: claims.name,
  role: claims.role,
  ...(claims.match === null ? {} : { match: claims.match }),
  ...(claims.test ? { test: true } : {}),
  options: hello.options,
  sessionId,
  resumeHash: hello.resume === null ? null : hashSecretHex(hello.resume)
})

/** Why an awake room refuses a player, decided without its actor; `null` = the room lets the player in. */
export const barOf = (
  { isBranch }: { readonly isBranch: boolean },
  { key, claims }: Pick<Entering, "key" | "claims">
): string | null => entryBar({ ...key, isBranch }, claims.test)

interface SeatHere {
  readonly room: AwakeRoom
  readonly incarnation: NonNullable<ReturnType<AwakeRoom["incarnation"]>>
  readonly player: Uint8Array | null
  readonly key: RoomKey
  readonly wanted: ReturnType<typeof entranceOf> & Pick<Entrance, "sinceMs">
  readonly viewer: boolean
}

/** @returns false when the room is being put away */
export const seatHere = (
  connection: JoiningClient,
  { room, incarnation, player, key, wanted, viewer }: SeatHere
): boolean => {
  const { deployed, order, relay, schema } = incarnation
  const { type: _type, schemaHash, ...entrance } = wanted
  connection.describe({
    roomId: key.roomId,
    version: order.version,
    playerId: wanted.playerId,
    viewer,
    relay,
    schema: schemaHash === deployed.schemaHash ? null : schema
  })
  const ref = room.gate.enter(connection, { ...entrance, player })
  if (ref === null) return false
  if (!connection.seat(room.gate, ref)) room.gate.exit(ref, connection.leftForGood)
  return true
}

/** The stored fields of a player, as the room reads them. */
export const playerFor = Effect.fnUntraced(function* (
  { incarnation: { order, playersSince } }: Pick<SeatHere, "incarnation">,
  key: RoomKey,
  stored: StoredPlayer | null
) {
  const led = (yield* LedPlayers).fields(key, stored, { version: order.version, playersSince })
  return yield* Effect.mapError(led, ({ code, message }) => new JoinRefused({ code, message }))
})

/** The link of the runner that has the server; `null` = it is this one. */
export const addressOf = Effect.fnUntraced(function* (server: ServerName) {
  const sharding = yield* Sharding.Sharding
  const links = yield* Links
  const entity = EntityId.make(serverKeyText(server.projectId, server.index))
  if (sharding.hasShardId(yield* ServerActor.getShardId(entity))) return null
  return yield* links.addressOf(server).pipe(Effect.catchCause(() => outOfReach))
})

export const outOfReach = new JoinRefused({
  code: "E_TENANT_WAKING",
  message: "the runner of the room is out of reach: try again"
})

/** The room and what runs in it, if it is awake here and of the type that is asked for. */
export const roomUp = (room: AwakeRoom | undefined, type: string | null) => {
  const incarnation = room?.incarnation() ?? null
  if (room === undefined || incarnation === null) return null
  return type === null || type === incarnation.order.type ? { room, incarnation } : null
}

/** A refusal of the actor keeps its code; everything else asks the client to come again. */
export const refusedBy = (error: {
  readonly _tag: string
  readonly message: string
}): JoinRefused =>
  error._tag.startsWith("E_")
    ? new JoinRefused({ code: error._tag, message: error.message })
    : new JoinRefused({ code: "E_TENANT_WAKING", message: "the room cannot be woken now" })
