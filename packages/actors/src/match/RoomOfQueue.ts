import { type QueueRules, seatsIn } from "@atrium/domain/match/QueueRules"

/** A room type of a deployment. */
interface PlayingType {
  readonly type: string
  readonly maxClients: number
  /** The queue that its schema names. */
  readonly queue?: string
}

/** The type of the rooms that a queue makes; without one, a message that tells the reason. Source: D-54. */
export type RoomOfQueue =
  | { readonly _tag: "Found"; readonly type: string; readonly maxClients: number }
  | { readonly _tag: "None"; readonly message: string }

const none = (message: string): RoomOfQueue => ({ _tag: "None", message })

/**
 * The type whose schema names the queue. If no schema names it and the project has one type, it is that type. A type that
 * holds fewer players than a match needs is not taken. Source: D-54, C-602.
 */
export const roomOfQueue = (
  types: ReadonlyArray<PlayingType>,
  queue: string,
  rules: QueueRules
): RoomOfQueue => {
  const [only, ...others] = types
  const named = types.find((type) => type.queue === queue)
  const found = named ?? (others.length === 0 ? only : undefined)
  if (found === undefined) {
    return none(
      only === undefined
        ? `queue ${queue}: the project has no deployed room type`
        : `queue ${queue}: no room type names it; say queue in its schema`
    )
  }
  const seats = seatsIn(rules)
  return found.maxClients < seats
    ? none(
        `queue ${queue}: a match has ${seats} players, a room of ${found.type} ${found.maxClients}`
      )
    : { _tag: "Found", type: found.type, maxClients: found.maxClients }
}
