import { OtherRunners } from "@atrium/actors/cluster/OtherRunners"
import { Links } from "@atrium/actors/link/Links"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import { Context, Effect, Layer, Schema } from "effect"

import { RoomRouter } from "../router/RoomRouter.ts"

/** The question of one runner to another: it closes the connections of identities that ended. */
const question = "accounts.ended"

const Ended = Schema.Struct({
  projectId: Schema.String,
  identityIds: Schema.Array(Schema.String),
  /** A player who was deleted. A runner of the version before knows identities alone. */
  playerId: Schema.optionalKey(Schema.String)
})
type Ended = typeof Ended.Type
const decodeEnded = Schema.decodeUnknownEffect(Ended)

/** The connections of identities whose tokens have ended, on all runners. Source: C-544. */
export class EndedPlayers extends Context.Service<
  EndedPlayers,
  {
    /** Closes what is connected by tokens of these identities, or as this player. A runner that does not answer is logged. */
    close(ended: Ended): Effect.Effect<void>
  }
>()("@atrium/api/accounts/EndedPlayers") {
  static readonly layer = Layer.effect(
    EndedPlayers,
    Effect.gen(function* () {
      const router = yield* RoomRouter
      const links = yield* Links
      const others = yield* OtherRunners
      const answers = yield* RunnerAnswers

      yield* answers.add(question, (input) =>
        Effect.map(Effect.orDie(decodeEnded(input)), (ended) =>
          Effect.sync(() => router.closeEnded(ended))
        )
      )

      const told = (link: string, ended: Ended) =>
        Effect.scoped(
          Effect.flatMap(links.ask(link, { name: question, input: ended }), ({ next }) => next(0))
        )

      return {
        close: Effect.fn("EndedPlayers.close")(function* (ended: Ended) {
          router.closeEnded(ended)
          yield* Effect.forEach(
            yield* others.living,
            ({ address, link }) =>
              link === null
                ? Effect.void
                : Effect.catch(told(link, ended), ({ message }) =>
                    Effect.logWarning(`the runner ${address} closed no connections: ${message}`)
                  ),
            { concurrency: "unbounded", discard: true }
          )
        })
      }
    })
  )
}
