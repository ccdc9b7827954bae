import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"
import { Data } from "effect"

import type { Place } from "./SeatedPlayers.ts"

/** A player, and all rooms that the player is in on one runner; none = the player has left them. */
export type ToldPlayer = readonly [subject: string, places: ReadonlyArray<Place>]

/**
 * Facts about what other runners tell. A stream is one report of one runner: first all of its players,
 * then each change. A later stream of the same runner has a greater number.
 */
export type PresenceEvent = Data.TaggedEnum<{
  StreamBegan: { readonly runner: string; readonly stream: number }
  /** `whole`: with this part every player of the runner has been told once. */
  PlayersTold: {
    readonly runner: string
    readonly stream: number
    readonly players: ReadonlyArray<ToldPlayer>
    readonly whole: boolean
  }
  StreamEnded: { readonly runner: string; readonly stream: number; readonly nowMs: number }
  /** The runner is no longer one of the service. */
  RunnerGone: { readonly runner: string }
  /** Time has passed. */
  Looked: { readonly nowMs: number }
}>
export const PresenceEvent = Data.taggedEnum<PresenceEvent>()

type Players = Map<string, ReadonlyArray<Place>>

interface Reported {
  /** The stream that counts; what an earlier one tells late is of no interest. */
  stream: number
  players: Players
  /** Players of a stream that is not whole yet; `null` = `players` are those of the stream. */
  coming: Players | null
  /** Since when there is no stream, or none that is whole; `null` = there is one. */
  silentSinceMs: number | null
}

const nobody: ReadonlyArray<string> = []
const nowhere: ReadonlyArray<Place> = []

/**
 * Where the players of one shard are on the other runners, as these tell it. Each runner that is asked has a
 * copy, and none is the only one: a runner that dies takes its own players along and nothing else. Its maps
 * change in place, as a shard may have many players. Source: C-561.
 */
export class PresenceMachine {
  readonly #runners = new Map<string, Reported>()

  /** Runners of whom something is known. */
  get runners(): ReadonlyArray<string> {
    return [...this.#runners.keys()]
  }

  /** The rooms that a player is in on other runners. */
  of(subject: string): ReadonlyArray<Place> {
    let found = nowhere
    for (const { players } of this.#runners.values()) {
      const places = players.get(subject)
      if (places !== undefined) found = found.length === 0 ? places : [...found, ...places]
    }
    return found
  }

  /** @returns the players whose rooms may have changed */
  step(event: PresenceEvent): ReadonlyArray<string> {
    switch (event._tag) {
      case "StreamBegan":
        return this.#began(event.runner, event.stream)
      case "PlayersTold": {
        const reported = this.#runners.get(event.runner)
        return reported?.stream === event.stream ? told(reported, event) : nobody
      }
      case "StreamEnded": {
        const reported = this.#runners.get(event.runner)
        // Silence begins once: a stream that ends before it was whole does not prolong it.
        if (reported?.stream === event.stream) reported.silentSinceMs ??= event.nowMs
        return nobody
      }
      case "RunnerGone": {
        const reported = this.#runners.get(event.runner)
        this.#runners.delete(event.runner)
        return reported === undefined ? nobody : [...reported.players.keys()]
      }
      case "Looked":
        return [...this.#runners.values()].flatMap((reported) => looked(reported, event.nowMs))
    }
  }

  #began(runner: string, stream: number): ReadonlyArray<string> {
    const reported = this.#runners.get(runner)
    if (reported === undefined) {
      const none: Players = new Map()
      const made = { stream, players: none, coming: new Map(), silentSinceMs: null }
      this.#runners.set(runner, made)
    } else if (stream > reported.stream) {
      reported.stream = stream
      reported.coming = new Map()
    }
    return nobody
  }
}

/** What was told before stays until the runner has told all of it again, so that nobody seems to leave meanwhile. */
const told = (
  reported: Reported,
  { players, whole }: Extract<PresenceEvent, { readonly _tag: "PlayersTold" }>
): ReadonlyArray<string> => {
  const into = reported.coming ?? reported.players
  for (const [subject, places] of players) {
    if (places.length === 0) into.delete(subject)
    else into.set(subject, places)
  }
  if (reported.coming === null) return players.map(([subject]) => subject)
  if (!whole) return nobody
  const before = reported.players
  reported.players = reported.coming
  reported.coming = null
  reported.silentSinceMs = null
  return [...new Set([...before.keys(), ...reported.players.keys()])]
}

/** The players of a runner that has been silent for too long are gone. */
const looked = (reported: Reported, nowMs: number): ReadonlyArray<string> => {
  const { silentSinceMs, players } = reported
  if (silentSinceMs === null || players.size === 0) return nobody
  if (nowMs - silentSinceMs < PresenceLimits.presenceSilence.ms) return nobody
  reported.players = new Map()
  return [...players.keys()]
}

/** The room that is told of a player: the one that the player came into last. Runners agree on it. Source: C-560. */
export const newestOf = (places: ReadonlyArray<Place>): Place | null => {
  let newest: Place | null = null
  for (const place of places) {
    const later =
      newest === null ||
      place.sinceMs > newest.sinceMs ||
      (place.sinceMs === newest.sinceMs && place.roomId > newest.roomId)
    if (later) newest = place
  }
  return newest
}
