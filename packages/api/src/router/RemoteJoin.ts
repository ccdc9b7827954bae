import type { ForwardAnswer, ForwardedClient, Forwarding } from "@atrium/actors/link/EntryLink"
import { Links } from "@atrium/actors/link/Links"
import type { ClientGate } from "@atrium/actors/rooms/ClientGate"
import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import { Deferred, Effect } from "effect"

import type { RoomFacts } from "./ConnectionParts.ts"

/** The connection of a client that asks for a seat in a room. */
export interface JoiningClient extends ForwardedClient {
  /** The facts about the room that the coming welcome carries. */
  describe(facts: RoomFacts): void
  /** From now on frames go to the room. Returns false when the client has gone in the meantime. */
  seat(gate: ClientGate, ref: number): boolean
  /** The client has left for good, or may not come back. */
  readonly leftForGood: boolean
}

/** A client that asks for a seat in a room of another runner. */
export interface RemoteJoin extends Omit<Forwarding, "client" | "answered"> {
  readonly connection: JoiningClient
  readonly viewer: boolean
}

/**
 * Seats a client in a room of the runner at the address. `Absent` = the room is not awake there; `Lost` = that
 * runner is out of reach, or does not answer in time.
 */
export const joinRemotely = Effect.fn("Router.joinRemotely")(function* (
  address: string,
  { connection, viewer, ...wanted }: RemoteJoin
) {
  const links = yield* Links
  const answer = Deferred.makeUnsafe<ForwardAnswer["_tag"]>()
  const answered = (told: ForwardAnswer): void => {
    Deferred.doneUnsafe(answer, Effect.succeed(told._tag))
    if (told._tag !== "Entered") return
    const { seat, entered } = told
    const { key, playerId } = wanted
    connection.describe({ ...entered, roomId: key.roomId, playerId, viewer })
    if (!connection.seat(seat, seat.ref)) seat.exit(seat.ref, connection.leftForGood)
  }
  const seat = links.forward(address, { ...wanted, client: connection, answered })
  return yield* Deferred.await(answer).pipe(
    Effect.timeoutOrElse({
      duration: LinkLimits.linkEnter.ms,
      orElse: () => {
        seat.exit(seat.ref, false)
        return Effect.succeed("Lost" as const)
      }
    })
  )
})
