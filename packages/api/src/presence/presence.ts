import { hash } from "node:crypto"

import { sleepByRule } from "@atrium/actors/clock/RuleTime"
import { Presence, type Places } from "@atrium/actors/presence/Presence"
import { untimed } from "@atrium/actors/store/AnswerTime"
import { apiOf } from "@atrium/domain/http/Api"
import { namedPlayers, PresenceApi } from "@atrium/domain/presence/PresenceApi"
import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { SecondMs } from "@atrium/wire/limits/Limit"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { callerLeft } from "../http/CallerLeft.ts"
import type { OpenRate } from "../http/OpenRates.ts"
import { makeOpenProject } from "../projects/OpenProject.ts"

export const presenceReadRate: OpenRate = {
  address: PresenceLimits.presenceReadsByAddress,
  subject: PresenceLimits.presenceReads
}

export const presenceWatchRate: OpenRate = {
  address: PresenceLimits.presenceWatchesByAddress,
  subject: PresenceLimits.presenceWatches
}

/** Where players are. Source: D-32, C-560. */
export const PresenceHandlers = HttpApiBuilder.group(
  apiOf(PresenceApi),
  "presence",
  Effect.fnUntraced(function* (handlers) {
    const presence = yield* Presence
    const openProject = yield* makeOpenProject
    return handlers.handleAll({
      read: Effect.fn("presence.read")(function* ({ query }) {
        const { wait, cursor } = query
        const rate = wait === undefined ? presenceReadRate : presenceWatchRate
        const { projectId } = yield* openProject(rate, query.project, Effect.succeed)
        const players = [...new Set(namedPlayers(query.players))]
        const asked = { projectId, players }
        if (wait !== undefined && cursor !== undefined) {
          const changed = presence.watch(asked, (places) => cursorOf(players, places) !== cursor)
          const over = sleepByRule(Number(wait) * SecondMs)
          yield* untimed(Effect.raceAllFirst([changed, over, callerLeft]))
        }
        return answerOf(players, yield* presence.read(asked))
      })
    })
  })
)

const answerOf = (players: ReadonlyArray<string>, places: Places) => ({
  players: players.map((playerId, at) => {
    const place = places[at] ?? null
    return {
      playerId,
      roomId: place?.roomId ?? null,
      since: place === null ? null : isoOf(place.sinceMs)
    }
  }),
  cursor: cursorOf(players, places)
})

/** Made of the answer alone: every runner knows whether it has changed, also one that has just started. Source: C-562. */
const cursorOf = (players: ReadonlyArray<string>, places: Places): string =>
  hash(
    "sha256",
    JSON.stringify(
      players.map((playerId, at) => [playerId, places[at]?.roomId, places[at]?.sinceMs])
    ),
    "base64url"
  ).slice(0, 16)
