import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

import type { Deployer } from "@atrium/actors/deployments/Deployer"
import type { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import type { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { untimed } from "@atrium/actors/store/AnswerTime"
import { DemoLimits } from "@atrium/domain/demo/DemoLimits"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Context, Duration, Effect, Exit, Layer } from "effect"

import type { HashedFile } from "../http/HashedFile.ts"
import type { ServiceFacts } from "../welcome/ServiceFacts.ts"
import { examplesFolder, type GameName } from "./Examples.ts"
import { gamePage, type GamePage, loadingPage } from "./GamePage.ts"
import { placeMarbles } from "./PlaceMarbles.ts"

/** A script that a page loads. */
export interface GameScript extends HashedFile {
  readonly name: string
}

interface LoadingGame {
  readonly page: GamePage
  readonly script: GameScript
}

/** The pages of the examples, made when somebody first asks for one. Source: C-393. */
export class Games extends Context.Service<
  Games,
  {
    readonly page: (name: GameName) => Effect.Effect<GamePage, NotReady, ServiceFacts>
    /** The script of marbles: with Rapier in it, it is no part of the page. */
    readonly script: Effect.Effect<GameScript, NotReady, ServiceFacts>
  }
>()("@atrium/api/demo/Games") {
  static readonly layer = Layer.effect(
    Games,
    Effect.gen(function* () {
      const small = yield* onceMade(makeSmall)
      const context = yield* Effect.context<Deployer | DeploymentStore | ProjectStore>()
      const madeMarbles = yield* onceMade(Effect.provideContext(makeMarbles, context))
      const marbles = Effect.flatMap(madeMarbles, (made) =>
        made === null ? replaced : Effect.succeed(made)
      )
      return {
        page: (name) =>
          name === "marbles"
            ? Effect.map(marbles, ({ page }) => page)
            : Effect.map(small, (pages) => pages[name]),
        script: Effect.map(marbles, ({ script }) => script)
      }
    })
  )
}

/** The owner has deployed while marbles was being made. What is played now, the next request sees. */
const replaced = Effect.fail(
  new NotReady({ message: "another version was deployed meanwhile; load the page again" })
)

/** @param make succeeds with `null` where the next request tries again at once */
const onceMade = Effect.fnUntraced(function* <A, E, R>(make: Effect.Effect<A, E, R>) {
  const bounded = make.pipe(
    Effect.timeout(DemoLimits.gamesMade.ms),
    Effect.interruptible,
    Effect.tapCause((cause) => Effect.logError("the pages of the examples cannot be made", cause)),
    Effect.catchCause(() =>
      Effect.fail(new NotReady({ message: "the game cannot be made: see the service's log" }))
    )
  )
  const made = yield* Effect.cachedWithTTL(bounded, (exit) =>
    Exit.isFailure(exit)
      ? DemoLimits.gamesRefused.ms
      : exit.value === null
        ? Duration.zero
        : Duration.infinity
  )
  return untimed(Effect.uninterruptible(made))
})

interface Source {
  readonly html: string
  readonly script: string
}

const sourceOf = async (name: GameName): Promise<Source> => {
  const { bundlePageScript } = await import("@atrium/sdk/bundle")
  const folder = join(examplesFolder, name)
  const html = await readFile(join(folder, "index.html"), "utf8")
  return { html, script: await bundlePageScript(join(folder, "client.ts")) }
}

/** Reads and bundles. The bundler is loaded here, as few services are asked for a game. */
const bundled = <A>(make: () => Promise<A>) =>
  Effect.tryPromise(async () => {
    const { withBundler } = await import("@atrium/sdk/bundle")
    return withBundler(make)
  })

const makeSmall = bundled(async () => {
  const pageOf = async (name: GameName): Promise<GamePage> => {
    const { html, script } = await sourceOf(name)
    return gamePage(html, script)
  }
  return { arena: await pageOf("arena"), "tic-tac-toe": await pageOf("tic-tac-toe") }
})

const asGzip = promisify(gzip)

/** Its rooms come to the project with the first page: Rapier would make each first start, and each room of the others, heavier. */
const makeMarbles = Effect.gen(function* () {
  if (!(yield* placeMarbles)) return null
  const { html, script } = yield* bundled(() => sourceOf("marbles"))
  const hash = createHash("sha256").update(script).digest("hex").slice(0, 16)
  const name = `marbles-${hash}.js`
  const identity = new TextEncoder().encode(script)
  const packed = yield* Effect.promise(() => asGzip(identity))
  const made: LoadingGame = {
    page: loadingPage(html, `${scriptFolder}${name}`),
    script: {
      name,
      contentType: "text/javascript; charset=utf-8",
      bytes: { identity, gzip: packed }
    }
  }
  return made
})

/** Where the scripts are that pages load. */
export const scriptFolder = "/play/files/"
