import type { RoomKey } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer } from "effect"

/** A room that a player is in, and the moment when the player came into it. */
export interface Place {
  readonly roomId: string
  readonly sinceMs: number
}

/** A player of a project, as runners name them to each other. The id of a project has no slash. */
export const subjectOf = (projectId: string, playerId: string): string => `${projectId}/${playerId}`

/**
 * The shard of a project, or of a subject: the last two digits of the id of the project; `dev` is of the first.
 * All runners must agree. Source: C-561.
 */
export const shardOf = (subject: string): number =>
  subject.startsWith("p_") ? Number.parseInt(subject.slice(16, 18), 16) : 0

/** Hears of each player of a shard whose rooms may have changed. It must not take time: a join waits for it. */
type Hear = (subject: string) => void

/** One room of this runner: its gate tells who comes and goes. */
export interface RoomSeats {
  /**
   * A connection of the player was let in.
   *
   * @param sinceMs when the player came into the room, if that was on another runner
   * @returns when the player came into the room
   */
  entered(playerId: string, sinceMs?: number): number
  /** A connection of the player, which was let in, is gone. */
  left(playerId: string): void
}

interface Seated extends Place {
  sinceMs: number
  /** Whose place it is; another incarnation of the room on this runner is another room. */
  readonly room: RoomSeats
  /** Another runner may have the room by now. */
  readonly lapsed: () => boolean
  /** Connections of the player in the room. */
  seats: number
}

interface Shard {
  readonly seated: Map<string, Array<Seated>>
  readonly hears: Set<Hear>
}

const nowhere: ReadonlyArray<Place> = []

/**
 * The players in the rooms of this runner. It lies on the way of every join: two look-ups in maps, no
 * Effect and no promise. Viewers are no players.
 */
export class Seats {
  readonly #nowMs: () => number
  readonly #shards = new Map<number, Shard>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** @param lapsed whether another runner may have the room by now: its players are that one's to tell */
  room({ projectId, roomId }: RoomKey, lapsed: () => boolean): RoomSeats {
    const shard = this.#shardOf(shardOf(projectId))
    const { seated } = shard
    const changed = (subject: string): void => {
      for (const hear of shard.hears) hear(subject)
    }
    const room: RoomSeats = {
      entered: (playerId, sinceMs = this.#nowMs()) => {
        const subject = subjectOf(projectId, playerId)
        const places = seated.get(subject)
        const place = places?.find((each) => each.room === room)
        if (place === undefined) {
          const made = { room, roomId, lapsed, sinceMs, seats: 1 }
          if (places === undefined) seated.set(subject, [made])
          else places.push(made)
          changed(subject)
          return sinceMs
        }
        place.seats++
        // A second device changes nothing that is told, unless it was here earlier and the room has moved.
        if (sinceMs >= place.sinceMs) return place.sinceMs
        place.sinceMs = sinceMs
        changed(subject)
        return sinceMs
      },
      left: (playerId) => {
        const subject = subjectOf(projectId, playerId)
        const places = seated.get(subject)
        const at = places?.findIndex((each) => each.room === room) ?? -1
        const place = places?.[at]
        if (places === undefined || place === undefined || --place.seats > 0) return
        places.splice(at, 1)
        if (places.length === 0) seated.delete(subject)
        changed(subject)
      }
    }
    return room
  }

  /** The rooms that a player is in on this runner. */
  of(subject: string): ReadonlyArray<Place> {
    const places = this.#shards.get(shardOf(subject))?.seated.get(subject)
    return places?.filter(({ lapsed }) => !lapsed()) ?? nowhere
  }

  /** The players of a shard on this runner. */
  in(shard: number): Iterable<string> {
    return this.#shards.get(shard)?.seated.keys() ?? []
  }

  /** @returns to be called when it need not hear any more */
  hear(shard: number, hear: Hear): () => void {
    const { hears } = this.#shardOf(shard)
    hears.add(hear)
    return () => void hears.delete(hear)
  }

  #shardOf(shard: number): Shard {
    const known = this.#shards.get(shard)
    if (known !== undefined) return known
    const made = { seated: new Map(), hears: new Set<Hear>() }
    this.#shards.set(shard, made)
    return made
  }
}

/** The players in the rooms of this runner. Source: C-560. */
export class SeatedPlayers extends Context.Service<SeatedPlayers, Seats>()(
  "@atrium/actors/presence/SeatedPlayers"
) {
  static readonly layer = Layer.effect(
    SeatedPlayers,
    Effect.map(Clock.Clock, (clock) => new Seats(() => clock.currentTimeMillisUnsafe()))
  )
}
