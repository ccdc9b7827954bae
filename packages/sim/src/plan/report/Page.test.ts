import { parseHTML } from "linkedom"
import { beforeAll, expect, test } from "vitest"

import { defaultCalibration } from "../../calibration/DefaultCalibration.ts"
import { planning } from "../Plan.ts"
import { planScenario } from "../testing/PlanScenario.ts"
import { makeReport } from "./MakeReport.ts"
import { pageOf } from "./Page.ts"
import type { PlanReport } from "./PlanReport.ts"
import { type PlanPlot, planPlots } from "./Plots.ts"
import { terminalReport } from "./TerminalReport.ts"

const scenario = planScenario({
  "plan.caps.dataOutBytes": "1GB",
  "players.daily": 700,
  events: [{ at: "day 2", kind: "flashCrowd", players: 100, over: "4m" }]
})
const planned = { scenario, calibration: defaultCalibration, seed: 1 }
let report: PlanReport
let plots: ReadonlyArray<PlanPlot>

beforeAll(() => {
  const going = planning(planned, 1)
  let step = going.next()
  while (step.done !== true) step = going.next(true)
  if (step.value === null) throw new Error("nothing was planned")
  const told = { name: "<b>&.yaml", whatIf: [], isDefaultCalibration: true }
  report = makeReport(planned, step.value, told)
  plots = planPlots(report, planned)
})

test("[sim.plan] pictures are whole SVG files, the same for the same report", () => {
  expect(plots.map(({ name }) => name)).toEqual(["players", "machines", "caps", "influences"])
  for (const { svg } of plots) {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" .*<\/svg>$/s)
    expect(svg).not.toMatch(/NaN|undefined/)
  }
  expect(plots[0]?.svg).toContain("wall: data out")
  expect(plots[2]?.svg).toContain("data out of the ceiling")
  expect(plots[2]?.svg).toContain("room hours of the allowance")
  expect(planPlots(report, planned)).toEqual(plots)
})

test("[sim.plan] the page loads nothing, and names are text", () => {
  const text = terminalReport(report, scenario)
  const { document } = parseHTML(pageOf(report, { plots, text }))
  expect(document.querySelector("h1")?.textContent).toBe("<b>&.yaml")
  expect(document.querySelector("pre")?.textContent).toBe(text)
  expect(document.querySelectorAll("figure svg")).toHaveLength(plots.length)
  expect(document.querySelectorAll("script, link, img, iframe, [src]")).toHaveLength(0)
})
