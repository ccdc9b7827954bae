import { afterAll, beforeAll, describe, expect, it } from "vitest"

import type { HogCase } from "./HogCases.ts"
import { faultsOf, neighbourOf } from "./HogJudgement.ts"
import { type HogReport, hogProject, type HogStage, makeHogStage } from "./HogStage.ts"
import { serviceUnderTest } from "./ServiceUnderTest.ts"

/** The tests of rooms that misuse the machine in these ways, one after the other. */
export const tellOfHogs = (cases: ReadonlyArray<HogCase>): void => {
  const running = serviceUnderTest()
  const reports: HogReport[] = []
  let stage: HogStage | null = null

  beforeAll(async () => {
    stage = await makeHogStage(await hogProject(running))
  })

  afterAll(() => stage?.leave())

  describe("a room that takes more than its share", () => {
    it.each(cases)(
      "[memory.ceiling-counts-all] $name: is dealt with, and its state comes back",
      async (hogCase) => {
        const report = await stage?.run(hogCase)
        if (report === undefined) throw new Error("there is no stage")
        reports.push(report)
        expect(faultsOf(hogCase, report)).toEqual([])
        if (hogCase.name === "fds") expect(report.said).toBe("opened: ")
      }
    )

    it("[C-40] a neighbour on the same server kept its ticks all the while", () => {
      expect(reports).toHaveLength(cases.length)
      const ticked = neighbourOf(reports, "lateMs")
      expect(ticked.disturbedMs).toBeLessThanOrEqual(ticked.mayBeMs)
      const arrived = neighbourOf(reports, "arrivedLateMs")
      expect(arrived.disturbedMs).toBeLessThanOrEqual(arrived.mayBeMs)
    })
  })
}
