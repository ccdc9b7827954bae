import fc from "fast-check"

import { isSuccess, isRefused, isRefusal } from "../../check/Answers.ts"
import { same } from "../../check/Expect.ts"
import { forAll } from "../../check/ForAll.ts"
import type { Meter } from "../../codec/Codecs.ts"
import { capsAsModelled } from "../../models/ModelChecks.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import { section, tierA, rowOf } from "../Section.ts"
import { meters } from "./Meters.ts"

/** Line 179 of the specification: Usage caps. */
export const usageCapsSection = section("Resources and their fields / Usage caps (resource)", {
  "caps.set-per-project-and-meter": tierA(179, "a cap is set per project and per meter", {
    decisions: ["D-10"],
    check: [
      {
        title: "a cap is set for one meter of one project, and for nothing else",
        run: async (trial) => {
          const [project, other] = [await trial.project(), await trial.project()]
          const none = {
            roomHours: null,
            voiceMinutes: null,
            storageBytes: null,
            dataOutBytes: null
          }
          same("the ceilings of a new project", await ceilingsOf(trial, project), none)
          let expected: Ceilings = none
          for (const [at, meter] of meters.entries()) {
            expected = { ...expected, [meter]: 1000 + at }
            isSuccess(await setCaps(trial, project, { [meter]: 1000 + at }))
            same(`the ceilings after ${meter}`, await ceilingsOf(trial, project), expected)
          }
          const all = { roomHours: 0, voiceMinutes: 1, storageBytes: 2 ** 40, dataOutBytes: 5 }
          isSuccess(await setCaps(trial, project, all))
          same("the ceilings set at once", await ceilingsOf(trial, project), all)
          const each = meters.map((meter, at) => ({ [meter]: 10 + at }))
          const answers = await Promise.all(each.map((one) => setCaps(trial, project, one)))
          for (const answer of answers) isSuccess(answer)
          const beside: Ceilings = Object.assign({}, ...each)
          same("the ceilings set side by side", await ceilingsOf(trial, project), beside)
          same("the ceilings of the other project", await ceilingsOf(trial, other), none)
          await refusesBadCaps(trial, project)
          same("the ceilings after refusals", await ceilingsOf(trial, project), beside)
        }
      },
      capsAsModelled
    ]
  }),
  "caps.null-clears": tierA(179, "null clears a cap", {
    decisions: ["D-10"],
    is: { cleared: null },
    provedBy: "caps.set-per-project-and-meter#model",
    check: {
      title: "null clears a cap, and only that one",
      run: async (trial) => {
        const project = await trial.project()
        const ceiling = fc.option(fc.nat(), { nil: null, freq: 2 })
        const some = fc.record(
          {
            roomHours: ceiling,
            voiceMinutes: ceiling,
            storageBytes: ceiling,
            dataOutBytes: ceiling
          },
          { requiredKeys: [] }
        )
        const examples: Array<Ceilings> = [
          { roomHours: 5, voiceMinutes: 5, storageBytes: 5, dataOutBytes: 5 },
          ...meters.map((meter) => ({ [meter]: null })),
          { storageBytes: null, roomHours: 1 },
          { storageBytes: null }
        ]
        let expected: Ceilings = await ceilingsOf(trial, project)
        await forAll<Ceilings>(trial, { of: some, runs: 12, examples }, async (ceilings) => {
          const answer = await setCaps(trial, project, ceilings)
          isSuccess(answer)
          expected = { ...expected, ...ceilings }
          same("the ceilings", await ceilingsOf(trial, project), expected)
          trial.chosen("D-10", () =>
            same("the ceilings of the answer", read(trial, answer), expected)
          )
        })
      }
    }
  })
})

type Ceilings = Partial<Record<Meter, number | null>>

async function refusesBadCaps(trial: Trial, project: Project): Promise<void> {
  const bad: ReadonlyArray<readonly [string, unknown]> = [
    ...[-1, 1.5, "100", true, {}, []].map((value) => ["storageBytes", value] as const),
    ["storage", 1],
    ["cpuSeconds", null]
  ]
  for (const [meter, value] of bad) {
    const body = trial.codecs.capsBody(Object({ roomHours: 9, [meter]: value }))
    const answer = await project.ask("/caps", { method: "PATCH", body })
    isRefused(answer)
    const refusal = { ...rowOf("error", "error.http.E_BAD_REQUEST"), naming: meter }
    trial.chosen("D-10", () => isRefusal(trial, answer, refusal))
  }
}

const setCaps = (trial: Trial, project: Project, ceilings: Ceilings): Promise<HttpAnswer> =>
  project.ask("/caps", { method: "PATCH", body: trial.codecs.capsBody(ceilings) })

const ceilingsOf = async (trial: Trial, project: Project): Promise<Ceilings> => {
  const answer = await project.ask("/caps")
  isSuccess(answer)
  return read(trial, answer)
}

const read = ({ codecs }: Trial, { json }: HttpAnswer): Ceilings =>
  Object.fromEntries(meters.map((meter) => [meter, codecs.cap(json, meter)?.ceiling]))
