import { same } from "../../check/Expect.ts"
import { boundaryChecks } from "../../families/Boundary.ts"
import type { Outcome } from "../../families/Outcome.ts"
import { projectFileHeading } from "../Headings.ts"
import { skillTurnsOn } from "../limits/MatchProbes.ts"
import { badRequest } from "../Literals.ts"
import type { Json } from "../Row.ts"
import { fileSyncRow } from "../RowKinds.ts"
import { section, tierA, rowOf } from "../Section.ts"
import { atMost } from "../Units.ts"
import { declaring, type Declared } from "./Declaring.ts"
import { badIsRefused } from "./FileCommands.ts"
import { deploys } from "./ProjectFileLiterals.ts"
import { isSynced, refusedAlike } from "./SyncedKeys.ts"

/** Lines 126 to 130 of the specification: Project file `service.json`, queues. */
export const projectFileQueuesSection = section(projectFileHeading, {
  "queues.size.min": tierA(126, "queue size whole and at least 2", {
    probe: ["cli"],
    boundary: { unit: "count", accept: 2, refuse: 1, outcome: badRequest },
    check: {
      title: "a queue has 2 to 64 seats, a whole number",
      ...declaring("queues", async (on, trial) => {
        const attempt = (size: number): Promise<Outcome> => on.attempt({ main: { size } })
        const bench = { attempt: ({ size }: { readonly size: number }) => attempt(size), runs: 8 }
        // The first row has the lower bound and the second row the upper one; 64 is our choice.
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
    }
  }),
  "queues.size.max": tierA(126, "upper bound of size follows the party/queue limit", {
    level: "decided",
    probe: ["cli"],
    decisions: ["D-33", "T-17"],
    boundary: { ...atMost(64, "count"), outcome: badRequest },
    provedBy: "queues.size.min"
  }),
  "queues.skill.boolean": tierA(127, "skill is boolean and turns on rating-based matching", {
    probe: ["cli"],
    check: [
      {
        title:
          "skill is true or false; a team has its five fields; size and teams exclude each other",
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
          trial.chosen("D-33", () =>
            same("an unknown field of a team is taken", strange.taken, false)
          )
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
          await on.refused(
            { "the-queue": { size: 4, teams: [{ size: 2, count: 2 }] } },
            "the-queue"
          )
        })
      },
      skillTurnsOn
    ]
  }),
  "queues.teams.shape": tierA(128, "teams: array of {size?,minSize?,maxSize?,count?,fill?}", {
    probe: ["cli"],
    decisions: ["D-33"],
    shape: {
      of: "an element of teams",
      fields: {
        size: { type: ["integer"] },
        minSize: { type: ["integer"] },
        maxSize: { type: ["integer"] },
        count: { type: ["integer"] },
        fill: { type: ["boolean", "string", "integer", "object"] }
      },
      exact: true
    },
    provedBy: "queues.skill.boolean"
  }),
  "queues.size-and-teams-refused": tierA(128, "size and teams together are refused", {
    probe: ["cli"],
    error: { outcome: badRequest },
    provedBy: "queues.skill.boolean"
  }),
  "queues.teams.limits": tierA(130, "limits on team size and count are not given", {
    level: "decided",
    decisions: ["D-33"],
    is: { teamsLeast: 2, teamsMost: 16, playersMost: 32, seats: 64 },
    check: {
      title: "a queue has 2 to 16 teams of 1 to 32 players, 64 in all",
      run: async (trial) => {
        const project = await trial.project()
        const taken = async (teams: ReadonlyArray<object>): Promise<boolean> => {
          const body = { name: project.name, queues: { main: { teams } } }
          return (await project.ask("", { method: "PATCH", body })).status === 200
        }
        const many = (count: number, size: number) =>
          Array.from({ length: count }, () => ({ size }))
        const is = rowOf("statement", "queues.teams.limits").is ?? {}
        const [least, most] = [Number(is["teamsLeast"]), Number(is["teamsMost"])]
        const [players, seats] = [Number(is["playersMost"]), Number(is["seats"])]
        const grown = { minSize: 1, maxSize: players }
        const tried: ReadonlyArray<readonly [string, ReadonlyArray<object>, boolean]> = [
          ["two teams", many(least, 1), true],
          ["16 teams", many(most, seats / most), true],
          ["two teams of 32", many(2, players), true],
          ["one team", many(least - 1, 2), false],
          ["17 teams", many(most + 1, 1), false],
          ["a team of none", [{ size: 0 }, { size: 1 }], false],
          ["a team of 33", [{ size: players + 1 }, { size: 1 }], false],
          ["65 players", [...many(seats / players, players), { size: 1 }], false],
          ["two teams by count", [{ size: 2, count: 2 }], true],
          ["17 teams by count", [{ size: 1, count: most + 1 }], false],
          ["a team beside 16 by count", [{ size: 1 }, { size: 1, count: most }], false],
          ["96 players by count", [{ size: players, count: 3 }], false],
          ["teams that grow to 65", [{ size: 1 }, grown, grown], false]
        ]
        for (const [what, teams, expected] of tried) {
          const got = await taken(teams)
          trial.chosen("D-33", () => same(`${what} are taken`, got, expected))
        }
      }
    }
  }),
  "queues.source-of-truth": fileSyncRow(
    130,
    "a declared map is synced on every deploy, room or static",
    {
      check: isSynced("queues", {
        declared: { duel: { size: 2 }, four: { size: 4, skill: true } },
        other: { third: { size: 3 } },
        empty: {}
      })
    }
  ),
  "queues.empty-clears": fileSyncRow(130, "an empty map leaves the implicit default queue of two", {
    is: { defaultSize: 2 },
    provedBy: "queues.source-of-truth"
  }),
  "queues.omitted-untouched": fileSyncRow(130, "omitting the key never touches queues", {
    provedBy: "queues.source-of-truth"
  }),
  "queues.max-32": tierA(130, "at most 32 queues", {
    probe: ["cli"],
    alsoLines: [422, 479],
    boundary: { ...atMost(32, "count"), outcome: badRequest },
    check: {
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
  }),
  "queues.same-message-as-dashboard": fileSyncRow(
    130,
    "a bad sync is refused with the message the dashboard shows",
    { check: refusedAlike("queues", "file.validate.queues", () => "queues") }
  ),
  "file.validate.queues": fileSyncRow(
    130,
    "bad queues are refused by the server at sync (the validation table is silent)",
    {
      level: "decided",
      decisions: ["D-42", "T-108"],
      file: {
        key: "queues",
        bad: [5, "main", true, [], { main: 5 }, { main: { size: 1 } }, { main: { skill: "yes" } }],
        good: [{}, { main: { size: 2 } }, { main: { size: 4, skill: true } }],
        commands: deploys,
        verdict: "refuse",
        names: ["queues"]
      },
      check: badIsRefused(3)
    }
  )
})
