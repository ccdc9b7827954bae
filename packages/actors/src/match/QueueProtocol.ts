import { NotReady, PartyFull, PartyUnknown, QueueNoType } from "@atrium/domain/shared/Refusal"
import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/** The key of a queue's actor. Neither part holds a slash. */
export const queueKeyText = (projectId: string, queue: string): string => `${projectId}/${queue}`

/**
 * The actor of a queue, keyed `project/queue`: the only one that matches its tickets. What survives it are their rows; a
 * ticket that is asked for wakes it again. Callers put a timeout around each call; `E_NOT_READY` says that the store was
 * away, and nothing is known to have happened.
 */
export const QueueActor = Entity.make("Queue", [
  /** A player queues. From the answer on the ticket waits, and the player's earlier one does not. */
  Rpc.make("Join", {
    payload: {
      ticketId: Schema.String,
      playerId: Schema.String,
      /** A party's code. */
      party: Schema.NullOr(Schema.String),
      waitMs: Schema.Int
    },
    error: Schema.Union([PartyUnknown, PartyFull, QueueNoType, NotReady])
  }),
  /** Why a ticket waits; `null` = it does not. */
  Rpc.make("Why", {
    payload: { ticketId: Schema.String },
    success: Schema.NullOr(Schema.String),
    error: NotReady
  })
])
