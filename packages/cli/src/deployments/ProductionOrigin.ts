import { type DeclaredSettings, readSettings } from "@atrium/domain/projects/DeclaredSettings"
import { Console, Effect, Result, Stdio } from "effect"

import { Misused } from "../CommandFailure.ts"
import { typedLine } from "../terminal/Confirmation.ts"

const question =
  "The origin of the game's page in production, such as https://game.example? Empty: every page may join"

/** What a first deploy says that nobody could be asked at. */
export const everyPage = `origins: none declared, so that pages of every origin may join; list them in service.json`

/**
 * Asks at a terminal which page may ask for a new project. Without a terminal, or without an answer,
 * every page may. Spec: Project file, origins; C-324.
 *
 * @returns the settings that follow from it; none = nobody answered
 */
export const askOrigin = Effect.fn("ProductionOrigin.ask")(function* () {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal)) return {}
  yield* Console.error(question)
  const answer = (yield* typedLine).trim().replace(/\/$/, "")
  if (answer === "") return {}
  const settings: Result.Result<DeclaredSettings, string> = readSettings({ origins: [answer] })
  if (Result.isSuccess(settings)) return settings.success
  return yield* new Misused({ message: `${settings.failure}\nnothing was deployed` })
})
