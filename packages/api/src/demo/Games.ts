import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

import { untimed } from "@atrium/actors/store/AnswerTime"
import { DemoLimits } from "@atrium/domain/demo/DemoLimits"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Context, Duration, Effect, Exit, Layer } from "effect"

import { gamePage, type GamePage } from "./GamePage.ts"

/** The examples that can be played on the service itself, by their folders. */
export const gameNames = ["arena", "tic-tac-toe"] as const
export type GameName = (typeof gameNames)[number]

const examples = new URL("../../../../examples/", import.meta.url)

/** The pages of the examples, made when somebody first asks for one. Source: C-393. */
export class Games extends Context.Service<
  Games,
  { readonly page: (name: GameName) => Effect.Effect<GamePage, NotReady> }
>()("@atrium/api/demo/Games") {
  static readonly layer = Layer.effect(
    Games,
    Effect.gen(function* () {
      const made = yield* Effect.cachedWithTTL(make, (exit) =>
        Exit.isSuccess(exit) ? Duration.infinity : DemoLimits.gamesRefused.ms
      )
      const known = untimed(Effect.uninterruptible(made))
      return { page: (name) => Effect.map(known, (pages) => pages[name]) }
    })
  )
}

/** Both at once. */
const make = Effect.gen(function* () {
  // Loaded here, as few services are asked for a game.
  const { bundlePageScript, withBundler } = yield* Effect.promise(
    () => import("@atrium/sdk/bundle")
  )
  const pageOf = async (name: GameName): Promise<GamePage> => {
    const folder = new URL(`${name}/`, examples)
    const html = await readFile(new URL("index.html", folder), "utf8")
    return gamePage(html, await bundlePageScript(fileURLToPath(new URL("client.ts", folder))))
  }
  return yield* Effect.tryPromise(() =>
    withBundler(async () => ({
      arena: await pageOf("arena"),
      "tic-tac-toe": await pageOf("tic-tac-toe")
    }))
  )
}).pipe(
  Effect.timeout(DemoLimits.gamesMade.ms),
  Effect.interruptible,
  Effect.tapError((error) => Effect.logError("the pages of the examples cannot be made", error)),
  Effect.mapError(() => new NotReady({ message: "the game cannot be made: see the service's log" }))
)
