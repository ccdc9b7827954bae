import { PlayerAccounts } from "@atrium/actors/accounts/PlayerAccounts"
import { PlayerData } from "@atrium/actors/accounts/PlayerData"
import { Secrets } from "@atrium/actors/store/Secrets"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"

import { type Place, placeText, readPlace } from "./ExportCursor.ts"

interface Player {
  readonly projectId: ProjectId
  readonly playerId: string
}

/** Reads pages of all that is kept of a player, the identities that became its devices included. Source: C-540. */
export const makePlayerPage = Effect.gen(function* () {
  const accounts = yield* PlayerAccounts
  const data = yield* PlayerData
  const secrets = yield* Secrets
  return Effect.fn("accounts.page")(function* (
    { projectId, playerId: accountId }: Player,
    after: string | undefined
  ) {
    const devices = yield* accounts.devices(projectId, accountId)
    const ids = [...new Set([accountId, ...devices.map(({ identityId }) => identityId)])]
    const key = secrets.linkCodeKey(projectId)
    const place = after === undefined ? firstOf(accountId) : readPlace(after, key)
    if (Option.isNone(place) || !ids.includes(place.value.playerId)) {
      return yield* new BadRequest({ message: "after: must be the `next` of a page" })
    }
    const { playerId, cursor } = place.value
    const page = yield* data.page({ projectId, playerId }, cursor)
    const next = nextOf({ playerId, cursor: page.next }, ids)
    return {
      accountId,
      playerId,
      rows: page.rows,
      next: next === null ? null : placeText(next, key)
    }
  })
})

const firstOf = (playerId: string): Option.Option<Place> => Option.some({ playerId, cursor: null })

/** The rest of an id, else the next id; `null` = that was the last row. */
const nextOf = (place: Place, ids: ReadonlyArray<string>): Place | null => {
  if (place.cursor !== null) return place
  const next = ids[ids.indexOf(place.playerId) + 1]
  return next === undefined ? null : { playerId: next, cursor: null }
}
