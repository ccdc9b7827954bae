import { Console, Effect } from "effect"

import { printable } from "../terminal/Printable.ts"
import { makeQuestions, type Questions } from "../terminal/Questions.ts"
import { findTemplate, type Template, templateNames, templates } from "./Templates.ts"

/** What `atrium init` makes. */
export interface InitAnswers {
  readonly template: Template
  /** The project's name, for people. */
  readonly name: string
  /** Whether a deploy publishes the page, too. */
  readonly static: boolean
}

interface InitGiven {
  /** What flags or an earlier project file said; `null` = nothing. */
  readonly template: Template | null
  readonly name: string | null
  readonly static: boolean | null
  /** Name of the folder. */
  readonly directory: string
  /** Whether questions are welcome. */
  readonly ask: boolean
}

/** Asks at a terminal for what was not said. Elsewhere the defaults are taken, and nobody is asked. Source: C-380. */
export const chooseAnswers = Effect.fn("InitAnswers.choose")(function* (given: InitGiven) {
  const questions = yield* makeQuestions
  const asked = given.ask && questions.askable ? questions : silent
  const template = given.template ?? (yield* askTemplate(asked))
  const name = given.name ?? (yield* asked.ask("Name of the project", given.directory))
  const hosted =
    given.static ?? isYes(yield* asked.ask("Publish the page with the room at a deploy?", "yes"))
  const answers: InitAnswers = { template, name, static: hosted }
  return answers
}, Effect.scoped)

/** Takes every default. */
const silent: Pick<Questions, "ask"> = { ask: (_, usual) => Effect.succeed(usual) }

const askTemplate = Effect.fnUntraced(function* ({ ask }: Pick<Questions, "ask">) {
  const [usual] = templates
  for (;;) {
    const says = templates.map(({ name, says }) => `  ${name.padEnd(6)} ${says}\n`).join("")
    const answer = yield* ask(`${says}Template`, usual.name)
    const template = findTemplate(answer.toLowerCase())
    if (template !== undefined) return template
    yield* Console.error(`${printable(answer)} is no template: say ${templateNames}`)
  }
})

const isYes = (answer: string): boolean => /^y(?:es)?$/i.test(answer)
