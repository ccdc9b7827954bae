import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import type { Check, Probe } from "../check/Check.ts"
import { same, Untestable } from "../check/Expect.ts"
import { boundaryChecks } from "../families/Boundary.ts"
import { outcomeOf } from "../families/Outcome.ts"
import { rowOf } from "../tables/Tables.ts"
import { mib } from "../tables/Units.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Project } from "../trial/Project.ts"
import { roomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

type Settings = Readonly<Record<string, unknown>>

/** Settings of a project, by PATCH. */
export const projectChecks: ReadonlyArray<Check> = [
  {
    ids: ["project.patch.name.required"],
    title: "without the name nothing is set, and the name is asked for",
    run: async (trial) => {
      const project = await trial.project()
      const before = await settingsOf(project)
      for (const body of [{}, { connectionsPerIpPerMin: 7 }, { vmMemMib: 512 }]) {
        const answer = await project.ask("", { method: "PATCH", body })
        isRefusal(trial, answer, wrongName("project.patch.name.required"))
      }
      same("the project afterwards", await settingsOf(project), before)
    }
  },
  {
    ids: ["project.patch.name.must-match"],
    title: "a name that is not the current one, to the character, sets nothing",
    run: async (trial) => {
      const project = await trial.project()
      const before = await settingsOf(project)
      const { name } = project
      const near = [`${name} `, ` ${name}`, name.toUpperCase(), name.slice(1), `${name}2`]
      const others: ReadonlyArray<unknown> = [
        "another",
        "",
        project.id,
        1,
        null,
        true,
        [name],
        { name }
      ]
      for (const other of [...near, ...others]) {
        const answer = await patched(project, { name: other, connectionsPerIpPerMin: 7 })
        isRefusal(trial, answer, wrongName("project.patch.name.must-match"))
      }
      same("the project afterwards", await settingsOf(project), before)
      isSuccess(await patched(project, { connectionsPerIpPerMin: 7 }))
    }
  },
  {
    ids: ["project.patch.connections.type"],
    title: "connectionsPerIpPerMin is a whole number or null",
    run: connections
  },
  {
    ids: ["project.patch.vmMemMib.type", "limits.vmMemMib"],
    title: "vmMemMib is a whole number or null",
    run: async (trial) => {
      const project = await trial.project()
      for (const vmMemMib of [256, null, 512]) isSuccess(await patched(project, { vmMemMib }))
      const before = await settingsOf(project)
      for (const vmMemMib of [...noWhole, 1e300, 256.5, "256", [256]]) {
        await refusesToSet(trial, project, { vmMemMib })
      }
      same("the project afterwards", await settingsOf(project), before)
    }
  },
  {
    ids: ["project.patch.vmMemMib.min", "limits.vmMemMib"],
    ...boundsVmMemMib("project.patch.vmMemMib.min")
  },
  {
    ids: ["project.patch.vmMemMib.max", "limits.vmMemMib"],
    ...boundsVmMemMib("project.patch.vmMemMib.max")
  },
  {
    ids: ["project.patch.response"],
    title: "the answer is the project as it is from then on",
    run: async (trial) => {
      const project = await trial.project()
      const steps: ReadonlyArray<Settings> = [
        { connectionsPerIpPerMin: 150, vmMemMib: 512 },
        { vmMemMib: 1024 },
        { connectionsPerIpPerMin: null },
        { connectionsPerIpPerMin: 10, vmMemMib: null },
        {}
      ]
      let inForce: Settings = {}
      for (const step of steps) {
        inForce = { ...inForce, ...step }
        const answer = await patched(project, step)
        isSuccess(answer)
        const shown = Object(answer.json)
        for (const [field, value] of Object.entries(inForce)) same(field, shown[field], value)
        same("the id", trial.codecs.projectId(answer.json), project.id)
        same("the name", shown["name"], project.name)
        same("an answer to the same again", await settingsOf(project), shown)
      }
    }
  },
  {
    ids: ["project.patch.vmMemMib.null-automatic"],
    title: "null gives the server its automatic size back, from its next start on",
    needs: ["fixture"],
    run: automaticSize
  },
  {
    ids: ["project.patch.queues-boards-same-form"],
    title: "queues and boards are taken in the form of the project file, whole or not at all",
    run: queuesAndBoards
  }
]

async function connections(trial: Trial): Promise<void> {
  const project = await trial.project()
  for (const value of [150, null, 120, 1, 10]) {
    const answer = await patched(project, { connectionsPerIpPerMin: value })
    isSuccess(answer)
    trial.chosen("D-13", () =>
      same("the setting", Object(answer.json)["connectionsPerIpPerMin"], value)
    )
  }
  const before = await settingsOf(project)
  for (const value of [...noWhole, 1.5, "150", [150]]) {
    await refusesToSet(trial, project, { connectionsPerIpPerMin: value })
  }
  same("the project afterwards", await settingsOf(project), before)
  for (const value of [0, -1, 100_001]) {
    const answer = await patched(project, { connectionsPerIpPerMin: value })
    const refusal = {
      ...rowOf("error", "error.http.E_BAD_REQUEST"),
      naming: "connectionsPerIpPerMin"
    }
    trial.chosen("D-13", () => isRefusal(trial, answer, refusal))
  }
  const after = await settingsOf(project)
  trial.chosen("D-13", () => same("the project afterwards", after, before))
  isSuccess(await patched(project, { connectionsPerIpPerMin: 100_000 }))
}

async function automaticSize(trial: Trial): Promise<void> {
  const stage = await roomStage(trial)
  const automatic = Number(rowOf("statement", "project.vmMem.auto-128").is?.["memoryBytes"]) / mib
  for (const [vmMemMib, size] of [[512, 512] as const, [null, automatic] as const]) {
    isSuccess(await patched(stage.project, { vmMemMib }))
    const client = await stage.client("room")
    const { serverStarts } = await trial.control.metrics(stage.project.id)
    if (!Array.isArray(serverStarts)) throw new Untestable("the metrics show no starts of servers")
    same(`the size of a server with ${vmMemMib}`, Object(serverStarts.at(-1))["vmMemMib"], size)
    await client.leave()
    await stage.asleep("room")
  }
}

async function queuesAndBoards(trial: Trial): Promise<void> {
  const project = await trial.project()
  const queues = {
    duel: { size: 2 },
    "ranked-4.v_1": { size: 4, skill: true },
    teams: { teams: [{ size: 2, count: 2, fill: true }] }
  }
  const boards = {
    wins: { direction: "higher" },
    "laps.s_1": { direction: "lower", period: "season:spring", buckets: true, keep: 3 }
  }
  isSuccess(await patched(project, { queues, boards }))
  const before = await settingsOf(project)
  trial.chosen("D-13", () => {
    same("the queues", before["queues"], queues)
    same("the boards", before["boards"], boards)
  })
  const bad: ReadonlyArray<readonly [string, Settings]> = [
    ["odd", { queues: { odd: { size: 1 } } }],
    ["odd", { queues: { odd: { size: 2.5 } } }],
    ["odd", { queues: { odd: { size: 4, teams: [{ size: 2 }, { size: 2 }] } } }],
    ["odd", { queues: { odd: { skill: "yes" } } }],
    ["queues", { queues: [] }],
    ["odd", { boards: { odd: {} } }],
    ...["up", "sideways", "Higher", "", 1, null].map(
      (direction) => ["odd", { boards: { odd: { direction } } }] as const
    ),
    ["odd", { boards: { odd: { direction: "higher", period: "yearly" } } }],
    ["boards", { boards: "none" }]
  ]
  for (const [naming, settings] of bad) {
    const answer = await patched(project, { vmMemMib: 512, ...settings })
    isRefused(answer)
    const refusal = { ...rowOf("error", "error.http.E_BAD_REQUEST"), naming }
    trial.chosen("D-02", () => isRefusal(trial, answer, refusal))
  }
  same("the project afterwards", await settingsOf(project), before)
  isSuccess(await patched(project, { queues: {} }))
  const cleared = await settingsOf(project)
  trial.chosen("D-13", () => {
    same("the queues of an empty map", cleared["queues"], {})
    same("boards that were not named", cleared["boards"], boards)
  })
  isSuccess(await patched(project, { boards: {} }))
  const bare = await settingsOf(project)
  trial.chosen("D-13", () => same("the boards of an empty map", bare["boards"], {}))
}

/** What is no whole number and not null, whatever is set. */
const noWhole: ReadonlyArray<unknown> = [true, false, "", "null", {}, [], [null]]

const patched = (project: Project, settings: Settings): Promise<HttpAnswer> =>
  project.ask("", { method: "PATCH", body: { name: project.name, ...settings } })

/** A PATCH that sets nothing answers what is in force. */
const settingsOf = async (project: Project): Promise<Settings> => {
  const answer = await patched(project, {})
  isSuccess(answer)
  return Object(answer.json)
}

const refusesToSet = async (trial: Trial, project: Project, settings: Settings): Promise<void> => {
  const answer = await patched(project, settings)
  isRefused(answer)
  const [naming = ""] = Object.keys(settings)
  const refusal = { ...rowOf("error", "error.http.E_BAD_REQUEST"), naming }
  trial.chosen("D-02", () => isRefusal(trial, answer, refusal))
}

const wrongName = (id: string) => ({
  ...rowOf("error", id),
  naming: rowOf("error", id).names ?? ""
})

function boundsVmMemMib(id: string): Probe {
  return {
    title: `vmMemMib is bounded: ${rowOf("boundary", id).accept} is taken, ${rowOf("boundary", id).refuse} is not`,
    run: async (trial) => {
      const project = await trial.project()
      await boundaryChecks(trial, rowOf("boundary", id), {
        attempt: async ({ size }) => outcomeOf(trial, await patched(project, { vmMemMib: size })),
        intact: async (inForce) =>
          same("vmMemMib in force", (await settingsOf(project))["vmMemMib"], inForce?.size ?? null),
        smallest: -1000,
        // From below only what the other row takes is tried.
        most:
          id === "project.patch.vmMemMib.min"
            ? rowOf("boundary", "project.patch.vmMemMib.max").accept
            : Infinity,
        runs: 15
      })
    }
  }
}
