import { isRefusal, isSuccess, isRefused } from "../../check/Answers.ts"
import type { Probe } from "../../check/Check.ts"
import { same, Untestable } from "../../check/Expect.ts"
import { boundaryChecks } from "../../families/Boundary.ts"
import { outcomeOf } from "../../families/Outcome.ts"
import { projectsAsModelled } from "../../models/ModelChecks.ts"
import type { Project } from "../../trial/Project.ts"
import { roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { hasShape } from "../DecidedShapes.ts"
import { settingsHeading } from "../Headings.ts"
import { badRequest } from "../Literals.ts"
import { section, tierA, tierC, rowOf } from "../Section.ts"
import { atMost, mib } from "../Units.ts"
import { settingsOf, patched, type Settings } from "./Settings.ts"

/** Values that are no whole number and not null. */
const noWhole: ReadonlyArray<unknown> = [true, false, "", "null", {}, [], [null]]

const refusesToSet = async (trial: Trial, project: Project, settings: Settings): Promise<void> => {
  const answer = await patched(project, settings)
  isRefused(answer)
  const [naming = ""] = Object.keys(settings)
  const refusal = { ...rowOf("error", "error.http.E_BAD_REQUEST"), naming }
  trial.chosen("D-02", () => isRefusal(trial, answer, refusal))
}

/** Lines 80 to 84 of the specification: Project settings. */
export const projectSettingsSection = section(settingsHeading, {
  "project.patch.name.required": tierA(80, "name is mandatory", {
    decisions: ["D-12"],
    error: { outcome: badRequest, names: "name" },
    check: [
      projectsAsModelled,
      {
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
      }
    ]
  }),
  "project.patch.name.must-match": tierA(80, "name must equal the current name", {
    decisions: ["D-12", "T-26"],
    literalsOf: "project.patch.name.required",
    provedBy: "project.patch.name.required#model",
    check: {
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
    }
  }),
  "project.patch.connections.type": tierA(81, "connectionsPerIpPerMin: integer or null", {
    decisions: ["D-13"],
    shape: {
      of: "the body of PATCH /v1/projects/:id",
      fields: { connectionsPerIpPerMin: { type: ["integer", "null"] } }
    },
    provedBy: "project.patch.name.required#model",
    check: { title: "connectionsPerIpPerMin is a whole number or null", run: connections }
  }),
  "project.patch.connections.null-restores-default": tierA(81, "null restores 120", {
    features: ["connectionLimits"],
    alsoLines: [424, 391],
    is: { perMinute: 120 },
    provedBy: "limits.connections.settable"
  }),
  "project.patch.vmMemMib.type": tierA(82, "vmMemMib: whole number or null", {
    shape: {
      of: "the body of PATCH /v1/projects/:id",
      fields: { vmMemMib: { type: ["integer", "null"] } }
    },
    provedBy: "project.patch.name.required#model",
    check: {
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
    }
  }),
  "project.patch.vmMemMib.min": tierA(82, "smallest is 128", {
    alsoLines: [423],
    boundary: { unit: "count", accept: 128, refuse: 127, outcome: badRequest },
    provedBy: "project.patch.name.required#model",
    check: boundsVmMemMib
  }),
  "project.patch.vmMemMib.max": tierA(82, "largest is 4096", {
    alsoLines: [423],
    boundary: { ...atMost(4096, "count"), least: 128, outcome: badRequest },
    provedBy: "project.patch.name.required#model",
    check: boundsVmMemMib
  }),
  "project.patch.vmMemMib.null-automatic": tierC(82, "null returns to automatic sizing", {
    hooks: ["metrics"],
    check: {
      title: "null gives the server its automatic size back, from its next start on",
      needs: ["fixture"],
      run: automaticSize
    }
  }),
  "project.patch.queues-boards-same-form": tierA(
    84,
    "the PATCH route takes queues and boards in project-file form",
    {
      provedBy: ["queues.max-32", "boards.direction.required"],
      check: {
        title: "queues and boards are taken in the form of the project file, whole or not at all",
        run: queuesAndBoards
      }
    }
  ),
  "project.record.shape": tierA(84, "other project fields are not given", {
    level: "decided",
    decisions: ["D-13"],
    alsoLines: [245],
    shape: {
      of: "the answer of GET /v1/projects/:id",
      fields: {
        id: { type: ["string"] },
        name: { type: ["string"] },
        plan: { type: ["string"], values: ["free", "card"] },
        createdAt: { type: ["string"] },
        connectionsPerIpPerMin: { type: ["integer", "null"] },
        vmMemMib: { type: ["integer", "null"] },
        queues: { type: ["object", "null"] },
        boards: { type: ["object", "null"] },
        origins: { type: ["array", "null"] },
        audienceRole: { type: ["string", "null"] },
        preRelease: { type: ["boolean", "null"] },
        static: { type: ["object", "null"] },
        currentVersion: { type: ["integer", "null"] }
      },
      exact: true
    },
    check: {
      title: "a project is read with the fields of D-13, and no others",
      run: async (trial) => {
        const project = await trial.project()
        const record = await project.ask("")
        trial.chosen("D-13", () => isSuccess(record))
        hasShape(trial, { id: "project.record.shape", decision: "D-13" }, record.json)
      }
    }
  })
})

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
    ["odd", { boards: { odd: { direction: "higher", buckets: "yes" } } }],
    ["odd", { boards: { odd: { direction: "higher", keep: "3" } } }],
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
