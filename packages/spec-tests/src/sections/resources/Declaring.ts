import type { Check, ProbeOf } from "../../check/Check.ts"
import { holds } from "../../check/Expect.ts"
import { boundaryChecks } from "../../families/Boundary.ts"
import { type Outcome, outcomeOf, isTaken, isRefusedAs } from "../../families/Outcome.ts"
import { textChecks } from "../../families/Texts.ts"
import type { Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Json } from "../Row.ts"
import { rowOf } from "../Section.ts"

type Kind = "queues" | "boards"

export type Declared = { readonly [name: string]: Json }

const badRequest = { status: 400, code: "E_BAD_REQUEST" } as const

/** A project, whose queues or boards the settings route sets. Spec: Project settings. */
class Declaring {
  readonly project: Project
  readonly #trial: Trial
  readonly #kind: Kind

  private constructor(trial: Trial, project: Project, kind: Kind) {
    this.#trial = trial
    this.project = project
    this.#kind = kind
  }

  static async of(trial: Trial, kind: Kind): Promise<Declaring> {
    return new Declaring(trial, await trial.project(), kind)
  }

  async patch(declared: Json): Promise<{ readonly outcome: Outcome; readonly text: string }> {
    const body = { name: this.project.name, [this.#kind]: declared }
    const answer = await this.project.ask("", { method: "PATCH", body })
    const text = this.#trial.codecs.error(answer)?.message ?? ""
    return { outcome: outcomeOf(this.#trial, answer), text }
  }

  async taken(declared: Declared): Promise<void> {
    isTaken(JSON.stringify(declared), (await this.patch(declared)).outcome)
  }

  /** Refused, with a message that has this in it. */
  async refused(declared: Json, named: string): Promise<void> {
    const what = JSON.stringify(declared)
    const { outcome, text } = await this.patch(declared)
    isRefusedAs(this.#trial, what, { got: outcome, outcome: badRequest })
    holds(`the refusal of ${what} names ${named}`, text.includes(named), text)
  }

  attempt = async (declared: Json): Promise<Outcome> => (await this.patch(declared)).outcome

  /** The value in force. Source: D-13. */
  async inForce(): Promise<unknown> {
    return Object((await this.project.ask("")).json)[this.#kind]
  }
}

/** A check of one declaration after the other. */
export const declaring = (
  kind: Kind,
  run: (on: Declaring, trial: Trial) => Promise<void>
): Pick<Check, "timeoutMs" | "run"> => ({
  timeoutMs: 120_000,
  run: async (trial) => run(await Declaring.of(trial, kind), trial)
})

const named = (kind: Kind, name: string): Declared => ({
  [name]: kind === "queues" ? {} : { direction: "higher" }
})

/** Length and characters of a name, at every bound. */
export const takesNames =
  (kind: Kind, charset: string): ProbeOf =>
  (length) => ({
    title: `names of ${kind} have the length and the characters that are allowed`,
    ...declaring(kind, async (on, trial) => {
      await boundaryChecks(trial, rowOf("boundary", length), {
        // Other characters are in the way of another rule.
        attempt: ({ size }) => on.attempt(named(kind, "a".repeat(size))),
        runs: 10
      })
      const attempt = (text: string): Promise<Outcome> => on.attempt(named(kind, text))
      await textChecks(trial, rowOf("text", charset), { attempt })
    })
  })
