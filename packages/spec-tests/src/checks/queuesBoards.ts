import fc from "fast-check"

import type { Check, ProbeOf } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { forAll } from "../check/ForAll.ts"
import { boundaryChecks } from "../families/Boundary.ts"
import { isRefusedAs, isTaken, type Outcome, outcomeOf } from "../families/Outcome.ts"
import { textChecks } from "../families/Texts.ts"
import type { Json } from "../tables/Row.ts"
import { rowOf } from "../tables/Tables.ts"
import type { Project } from "../trial/Project.ts"
import type { Trial } from "../trial/Trial.ts"

type Kind = "queues" | "boards"
type Declared = { readonly [name: string]: Json }

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

  /** What is in force. Source: D-13. */
  async inForce(): Promise<unknown> {
    return Object((await this.project.ask("")).json)[this.#kind]
  }
}

/** A check of one declaration after the other. */
const declaring = (
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
const takesNames =
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

const queueChecks: ReadonlyArray<Check> = [
  {
    ids: ["match.queue-name.length", "match.queue-name.charset"],
    ...takesNames("queues", "match.queue-name.charset")("match.queue-name.length")
  },
  {
    ids: ["queues.size.min", "queues.size.max", "match.party.queue-range"],
    title: "a queue has 2 to 64 seats, a whole number",
    ...declaring("queues", async (on, trial) => {
      const attempt = (size: number): Promise<Outcome> => on.attempt({ main: { size } })
      const bench = { attempt: ({ size }: { readonly size: number }) => attempt(size), runs: 8 }
      // What is below is the one's, what is above the other's; 64 is ours.
      await boundaryChecks(trial, rowOf("boundary", "queues.size.min"), { ...bench, most: 64 })
      await boundaryChecks(trial, rowOf("boundary", "queues.size.max"), {
        ...bench,
        smallest: 2,
        decision: "T-17"
      })
      await boundaryChecks(trial, rowOf("boundary", "match.party.queue-range"), bench)
      for (const size of [2.5, "4", null, true, [], {}, 1e300]) {
        await on.refused({ main: { size } }, "main")
      }
    })
  },
  {
    ids: ["queues.skill.boolean", "queues.teams.shape", "queues.size-and-teams-refused"],
    title: "skill is true or false; a team has its five fields; size and teams exclude each other",
    ...declaring("queues", async (on, trial) => {
      for (const skill of [true, false]) await on.taken({ main: { skill } })
      for (const skill of ["yes", "true", 1, 0, null, []]) {
        await on.refused({ main: { skill } }, "main")
      }
      const teams: ReadonlyArray<Json> = [
        { size: 2 },
        { minSize: 1 },
        { maxSize: 2 },
        { count: 1 },
        { fill: true },
        {},
        { minSize: 1, maxSize: 2, count: 1, fill: false }
      ]
      for (const team of teams) await on.taken({ main: { teams: [team, { size: 2 }] } })
      for (const bad of [5, "two", {}, null, [5], ["red"], [null]]) {
        await on.refused({ main: { teams: bad } }, "main")
      }
      const strange = await on.attempt({ main: { teams: [{ size: 2, colour: 1 }, {}] } })
      trial.chosen("D-33", () => same("an unknown field of a team is taken", strange.taken, false))
      const odd: ReadonlyArray<Json> = [
        { size: "2" },
        { size: 2.5 },
        { count: 0 },
        { count: true },
        { fill: "yes" },
        { minSize: 0 },
        { maxSize: 33 },
        {
          minSize: 3,
          maxSize: 2
        }
      ]
      for (const team of odd) {
        const got = await on.attempt({ main: { teams: [team, { size: 2 }] } })
        trial.chosen("D-33", () => same(`${JSON.stringify(team)} is taken`, got.taken, false))
      }
      await on.refused({ "the-queue": { size: 4, teams: [{ size: 2, count: 2 }] } }, "the-queue")
    })
  },
  {
    ids: ["queues.max-32", "project.patch.queues-boards-same-form"],
    title: "a project has at most 32 queues, and a map that is refused changes nothing",
    ...declaring("queues", async (on, trial) => {
      const { accept, refuse } = rowOf("boundary", "queues.max-32")
      const many = (count: number): Declared =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, { size: 2 }]))
      await on.taken(many(accept))
      await on.refused(many(refuse), String(accept))
      await on.refused({ good: { size: 2 }, bad: { size: 1 } }, "bad")
      for (const bad of [5, "main", true, [], null]) await on.refused(bad, "queues")
      const inForce = await on.inForce()
      trial.chosen("D-13", () => same("the queues in force", inForce, many(accept)))
    })
  }
]

const boardChecks: ReadonlyArray<Check> = [
  {
    ids: ["lb.name.length", "lb.name.charset"],
    ...takesNames("boards", "lb.name.charset")("lb.name.length")
  },
  {
    ids: ["boards.direction.required", "project.patch.queues-boards-same-form"],
    title: "a board says higher or lower, and one that says neither is refused by name",
    ...declaring("boards", async (on, trial) => {
      for (const direction of ["higher", "lower"]) await on.taken({ main: { direction } })
      const { bad } = rowOf("file", "file.validate.boards-direction")
      for (const value of bad) await on.refused(value, "main")
      for (const value of rowOf("file", "file.validate.boards-type").bad) {
        await on.refused(value, "boards")
      }
      const notOne = fc.jsonValue().filter((value) => value !== "higher" && value !== "lower")
      const look = async (direction: Json): Promise<void> =>
        on.refused({ main: { direction } }, "main")
      await forAll(trial, { of: notOne.map(jsonOf), runs: 15 }, look)
      const inForce = await on.inForce()
      trial.chosen("D-13", () =>
        same("the boards in force", inForce, { main: { direction: "lower" } })
      )
    })
  },
  {
    ids: ["boards.period.values"],
    title: "a period is daily, weekly, monthly or of a season",
    ...declaring("boards", async (on, trial) => {
      const attempt = (period: string): Promise<Outcome> =>
        on.attempt({ main: { direction: "higher", period } })
      const row = rowOf("text", "boards.period.values")
      // Which characters a season has is not said: chance is for its name.
      await textChecks(trial, row, { attempt, runs: 0 })
      for (const [name, isTakenByUs] of [
        ["a.b_c-9", true],
        ["x".repeat(64), true],
        ["x".repeat(65), false],
        ["Spring", false],
        ["a b", false]
      ] as const) {
        const got = await attempt(`season:${name}`)
        trial.chosen("D-34", () => same(`the season ${name} is taken`, got.taken, isTakenByUs))
      }
      for (const period of [5, null, true, [], {}]) {
        await on.refused({ main: { direction: "higher", period } }, "main")
      }
    })
  }
]

/** fast-check's JSON has -0 and the like, which is not what is sent. */
const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value))

/** Queues and boards, as the project's settings take them. */
export const queueBoardChecks: ReadonlyArray<Check> = [...queueChecks, ...boardChecks]
