import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"
import { Effect, Latch, Schema, type Scope } from "effect"

import { RunnerAnswers } from "../link/RunnerAnswers.ts"
import type { ToldPlayer } from "./PresenceMachine.ts"
import { SeatedPlayers, type Seats } from "./SeatedPlayers.ts"

/** The question of one runner to another for the players of a shard. The input is the shard. */
export const presenceQuestion = "presence.players"

const Place = Schema.Struct({ roomId: Schema.String, sinceMs: Schema.Number })

/** Part of a stream: see `PlayersTold`. */
const PresencePart = Schema.Struct({
  players: Schema.Array(Schema.Tuple([Schema.String, Schema.Array(Place)])),
  whole: Schema.Boolean
})
type PresencePart = typeof PresencePart.Type

export const decodePresencePart = Schema.decodeUnknownEffect(PresencePart)

const decodeShard = Schema.decodeUnknownEffect(Schema.Int)

/** Tells other runners where the players of this one are: first all of them, then each change. */
export const presenceAnswer = Effect.gen(function* () {
  const seats = yield* SeatedPlayers
  const answers = yield* RunnerAnswers
  yield* answers.add(presenceQuestion, (input) =>
    Effect.flatMap(Effect.orDie(decodeShard(input)), (shard) => reportOf(seats, shard))
  )
})

/** Players whose places change while a part is on its way are told once, in the next part. */
const reportOf = (
  seats: Seats,
  shard: number
): Effect.Effect<Effect.Effect<PresencePart>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const untold = new Set<string>()
    const some = Latch.makeUnsafe(true)
    let whole = false
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        seats.hear(shard, (subject) => {
          untold.add(subject)
          some.openUnsafe()
        })
      ),
      (hearNoMore) => Effect.sync(hearNoMore)
    )
    for (const subject of seats.in(shard)) untold.add(subject)
    const part = Effect.sync(() => {
      const players: Array<ToldPlayer> = []
      for (const subject of untold) {
        if (players.length === PresenceLimits.presencePart.max) break
        untold.delete(subject)
        players.push([subject, placesOf(seats, subject)])
      }
      if (untold.size === 0) {
        whole = true
        some.closeUnsafe()
      }
      return { players, whole }
    })
    const changes = some.await.pipe(
      Effect.timeoutOption(PresenceLimits.presencePing.ms),
      Effect.andThen(Effect.sleep(PresenceLimits.presenceTogether.ms)),
      Effect.andThen(part)
    )
    return Effect.suspend(() => (whole ? changes : part))
  })

/** What the gates hold besides is nothing to tell. */
const placesOf = (seats: Seats, subject: string) =>
  seats.of(subject).map(({ roomId, sinceMs }) => ({ roomId, sinceMs }))
