import { Branches } from "@atrium/actors/branches/Branches"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { entryBar, isInert } from "@atrium/domain/rooms/InertRoom"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { BranchRefused } from "@atrium/domain/shared/Refusal"
import { TestPlayersApi } from "@atrium/domain/testPlayers/TestPlayersApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { PlayerTokens } from "../router/PlayerTokens.ts"

/** Players who try rooms. */
export const TestPlayersHandlers = HttpApiBuilder.group(
  apiOf(TestPlayersApi),
  "testplayers",
  Effect.fnUntraced(function* (handlers) {
    const branches = yield* Branches
    const tokens = yield* PlayerTokens
    return handlers.handleAll({
      mint: Effect.fn("testPlayers.mint")(function* ({ payload: { roomId } }) {
        const { projectId } = yield* CallersProject
        const key = { projectId, roomId }
        const room = { ...key, isBranch: yield* branches.isBranch(key) }
        const message = entryBar(room, true)
        if (message !== null) return yield* new BranchRefused({ message })
        if (isInert(room)) yield* branches.kept
        const { playerId, token, expiresAtMs } = yield* tokens.mintTest(key)
        return { playerId, roomId, token, expiresAt: isoOf(expiresAtMs) }
      })
    })
  })
)
