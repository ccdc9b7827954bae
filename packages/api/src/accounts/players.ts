import { PlayerAccounts } from "@atrium/actors/accounts/PlayerAccounts"
import { type ExportedRow, PlayerData } from "@atrium/actors/accounts/PlayerData"
import { PlayersApi } from "@atrium/domain/accounts/PlayersApi"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { kvFault } from "@atrium/wire/kv/KvFault"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { EndedPlayers } from "./EndedPlayers.ts"
import { makePlayerPage } from "./PlayerPage.ts"

/** Players, as the owner of the project looks at them and deletes them. Source: C-807. */
export const PlayersHandlers = HttpApiBuilder.group(
  apiOf(PlayersApi),
  "players",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* PlayerAccounts
    const data = yield* PlayerData
    const ended = yield* EndedPlayers
    const page = yield* makePlayerPage
    return handlers.handleAll({
      read: Effect.fn("players.read")(function* ({ params }) {
        const player = yield* playerIn(params)
        const { projectId, playerId } = player
        const now = yield* accounts.identity({ projectId, identityId: playerId })
        const devices = yield* accounts.devices(projectId, playerId)
        return {
          playerId,
          accountId: now.playerId ?? playerId,
          devices: devices.map(({ deviceId, identityId, label, linkedAtMs }) => ({
            deviceId,
            identityId,
            label,
            linkedAt: isoOf(linkedAtMs)
          })),
          ratings: (yield* data.part(player, "ratings")).map(ratingOf)
        }
      }),
      export: Effect.fn("players.export")(function* ({ params, query: { after } }) {
        return yield* page(yield* playerIn(params), after)
      }),
      delete: Effect.fn("players.delete")(function* ({ params }) {
        const player = yield* playerIn(params)
        const { projectId, playerId } = player
        const { identityIds, keptAs } = yield* accounts.delete({ ...player, identityId: null })
        yield* ended.close({ projectId, identityIds, playerId })
        return { accountId: playerId, deleted: true as const, scoresKeptAs: keptAs }
      })
    })
  })
)

/** Ids of players are free text. The database stores none that is longer, or has a zero character. */
const playerIn = Effect.fnUntraced(function* ({ playerId }: { readonly playerId: string }) {
  const { projectId } = yield* CallersProject
  const fault = kvFault({ player: playerId })
  if (fault !== null) return yield* new BadRequest({ message: fault.message })
  return { projectId, playerId }
})

const ratingOf = ({ queue, rating, deviation, ratedAt }: ExportedRow) => ({
  queue: String(queue),
  rating: Number(rating),
  deviation: Number(deviation),
  ratedAt: String(ratedAt)
})
