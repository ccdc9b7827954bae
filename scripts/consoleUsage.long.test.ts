import { controlOf } from "@atrium/api/testing/ControlUnderTest"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { beforeAll, describe, expect, it } from "vitest"

import { consoleUnderTest } from "./browser/ConsoleUnderTest.ts"

const service = serviceUnderTest({ args: ["--control-port", "0"] })
const control = controlOf(service)
const view = consoleUnderTest("The use of a project in Chromium")
const bound = MeterLimits.allowanceDataOutBytes.max

describe.skipIf(!view.isThere)("the page of a project's use in Chromium", () => {
  beforeAll(() => view.logIn(service, "/console"))

  /** The alerts that the page shows when the project has used so much, in thousandths of its allowance. */
  const alertsAt = async (thousandths: number): Promise<ReadonlyArray<string>> => {
    const used = Math.ceil((bound * thousandths) / 1000)
    const { project } = service
    const set = await control.ask("meters/set", { project, meter: "dataOutBytes", used })
    expect(set.status).toBe(200)
    await view.page.goto(`${service.url}/console/p/${project}/usage`)
    const panel = view.panel("Alerts of this month")
    await panel
      .getByText(/^(No alert\.|Meter)$/)
      .first()
      .waitFor()
    return panel.locator("tbody tr").allInnerTexts()
  }

  it("[events.dataout.warning-80] [events.dataout.warning-limit] warns at 80 % and at 100 % of data out, and not before", async () => {
    // The allowance of the free plan is a wall.
    const plan = await control.ask("plan/set", { project: service.project, tier: "free" })
    expect(plan.status).toBe(200)
    expect(await alertsAt(799)).toEqual([])
    const most = [expect.stringMatching(/^Data out\s+80 %/)]
    expect(await alertsAt(800)).toEqual(most)
    expect(await alertsAt(999)).toEqual(most)
    const all = await alertsAt(1000)
    expect(all.toSorted()).toEqual([expect.stringMatching(/^Data out\s+100 %/), ...most])
    await view.shows("The wall is reached.", view.panel("Data out"))
    await view.picture("usage-alerts")
  })
})
