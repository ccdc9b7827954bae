import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { same } from "../check/Expect.ts"
import type { Json } from "../tables/Row.ts"
import { rowOf } from "../tables/Tables.ts"
import { setAudienceRole } from "../trial/AudienceStage.ts"
import type { Project } from "../trial/Project.ts"
import type { Trial } from "../trial/Trial.ts"
import { done, refused, runnerOf } from "./projectFileCommands.ts"

const timeoutMs = 240_000

/** Deploys a project whose file declares a role; `undefined` = it declares none. */
const deploysTo = async (trial: Trial, project: Project) => {
  const run = await runnerOf(trial, project)
  const deploy = (role: Json | undefined) =>
    run("deploy", {
      project: project.id,
      ...(role === undefined ? {} : { audienceRole: role })
    })
  const stored = async (): Promise<unknown> => {
    const record = await project.ask("")
    isSuccess(record)
    return trial.codecs.audienceRole(record.json)
  }
  return {
    stored,
    takes: async (role: Json | undefined, then: unknown = role): Promise<void> => {
      const what = `deploy with audienceRole ${JSON.stringify(role)}`
      done(what, await deploy(role))
      same(`the project's role after ${what}`, await stored(), then)
    },
    refuses: async (role: Json): Promise<void> => {
      const before = await stored()
      const what = `deploy with audienceRole ${JSON.stringify(role)}`
      refused(what, await deploy(role), ["audienceRole"])
      same(`the project's role after ${what}`, await stored(), before)
    }
  }
}

/** The settings route refuses each of them by name, and sets none. */
const bySettings = async (trial: Trial, bad: ReadonlyArray<Json>): Promise<void> => {
  const project = await trial.project()
  await setAudienceRole(trial, project, "viewer")
  for (const role of bad) {
    const body: object = Object(trial.codecs.audienceRoleBody({ name: project.name, role: "" }))
    const [field = ""] = Object.keys(body).filter((name) => name !== "name")
    const answer = await project.ask("", { method: "PATCH", body: { ...body, [field]: role } })
    isRefused(answer)
    const refusal = { ...rowOf("error", "error.http.E_BAD_REQUEST"), naming: field }
    trial.chosen("T-108", () => isRefusal(trial, answer, refusal))
  }
  const record = await project.ask("")
  same("the role after refusals", trial.codecs.audienceRole(record.json), "viewer")
}

/** Each deploy takes its time: all of the values are for a run that has it. */
const someOf = <A>(trial: Trial, values: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  trial.modelRuns === null ? values.slice(0, count) : values

/** What `deploy` makes of the key audienceRole of the project file. */
export const audienceFileChecks: ReadonlyArray<Check> = [
  {
    ids: ["audienceRole.synced", "audienceRole.null-disables", "file.audienceRole.omitted"],
    title: "every deploy makes the project's role what the file says, null takes it away",
    timeoutMs,
    run: async (trial) => {
      const project = await trial.project()
      const { takes } = await deploysTo(trial, project)
      await takes(undefined, null)
      await takes("viewer")
      await takes(undefined, "viewer")
      await setAudienceRole(trial, project, "other")
      await takes("viewer")
      const { off = null } = rowOf("statement", "audienceRole.null-disables").is ?? {}
      await takes(off === null ? null : String(off))
      const asked = { project: project.id, room: "any", identity: "", board: "", assertion: "" }
      isRefused(await trial.send(trial.codecs.openCall("audience.mint", asked)))
    }
  },
  {
    ids: ["audienceRole.length", "file.audienceRole.type"],
    title: "a role is null or a text of 1 to 32 characters; any other is refused by name",
    timeoutMs,
    run: async (trial) => {
      const { takes, refuses } = await deploysTo(trial, await trial.project())
      const { accept, refuse, least = 0 } = rowOf("boundary", "audienceRole.length")
      await takes("x".repeat(accept))
      const bad = ["x".repeat(refuse), "x".repeat(least - 1), 5, ["viewer"]]
      for (const role of someOf(trial, bad, 3)) await refuses(role)
      await bySettings(trial, [...bad, "", "é".repeat(accept + 1), true, [], {}])
      await takes("x".repeat(least))
    }
  },
  {
    ids: ["audienceRole.charset"],
    title: "a role is of letters, digits, _ - . and :, and any other character is refused",
    timeoutMs,
    run: async (trial) => {
      const { takes, refuses } = await deploysTo(trial, await trial.project())
      const { good, bad } = rowOf("text", "audienceRole.charset")
      for (const role of someOf(trial, good.toReversed(), 1)) await takes(role)
      for (const role of someOf(trial, bad, 2)) await refuses(role)
      await bySettings(trial, bad)
    }
  }
]
