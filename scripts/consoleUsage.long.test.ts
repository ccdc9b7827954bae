import { controlOf } from "@atrium/api/testing/ControlUnderTest"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { chromiumPath } from "./browser/Chromium.ts"

const service = serviceUnderTest({ args: ["--control-port", "0"] })
const control = controlOf(service)
const executablePath = chromiumPath("The use of a project in Chromium")
/** A folder that pictures of the pages go to; absent = none are made. */
const pictures = process.env["CONSOLE_PICTURES"]
const bound = MeterLimits.allowanceDataOutBytes.max

let browser: Browser
let page: Page

describe.skipIf(executablePath === null)("the page of a project's use in Chromium", () => {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox"]
    })
    page = await (await browser.newContext()).newPage()
    await page.goto(`${service.url}/login?next=%2Fconsole`)
    await page.locator("input").first().fill(service.token)
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/console/)
  })

  afterAll(async () => {
    await browser.close()
  })

  /** The alerts that the page shows when the project has used so much, in thousandths of its allowance. */
  const alertsAt = async (thousandths: number): Promise<ReadonlyArray<string>> => {
    const used = Math.ceil((bound * thousandths) / 1000)
    const { project } = service
    const set = await control.ask("meters/set", { project, meter: "dataOutBytes", used })
    expect(set.status).toBe(200)
    await page.goto(`${service.url}/console/p/${project}/usage`)
    const panel = page.getByRole("region", { name: "Alerts of this month" })
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
    const cap = page.getByRole("region", { name: "Data out" })
    await cap.getByText("The wall is reached.").waitFor()
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/usage-alerts.png` })
  })
})
