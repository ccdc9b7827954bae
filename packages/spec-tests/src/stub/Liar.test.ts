import { expect, test } from "vitest"

import { exitCode } from "../engine/ExitCode.ts"
import { type Suite, wholeSuite } from "../engine/Suite.ts"
import { runFake } from "../engine/testing/FakeRun.ts"
import { terminalReport } from "../report/TerminalReport.ts"
import { startStub } from "./StubServer.ts"

const claimed = ["prediction"]
/** Areas that are about these features and little else. */
const only = ["predict", "auth.key.cannot.rollback"]

/** The suite of a day on which no check asked after prediction. */
const suite: Suite = {
  ...wholeSuite,
  checks: wholeSuite.checks.filter(({ ids }) => !ids.some((id) => id.startsWith("predict.")))
}

const run = async (features: ReadonlyArray<string>) => {
  const stub = await startStub()
  try {
    const { url: baseUrl, accounts } = stub
    const config = { accounts, features }
    const report = await runFake({ suite, baseUrl, config, only, strict: false })
    const statuses = report.verdicts.map(({ status }) => status)
    return {
      report,
      code: exitCode({ statuses, ours: false, end: "done" }),
      last: terminalReport(report, (_, text) => text)
        .split("\n")
        .slice(-2)
    }
  } finally {
    await stub.stop()
  }
}

test("[conformance.liar] an implementation that declares what it does not have is never green", async () => {
  const { report, code, last } = await run([...claimed, "sdk", "rollback"])
  expect(code).toBe(1)
  const unchecked = report.verdicts.filter(
    ({ checks, status }) => checks.length === 0 && status !== "documented"
  )
  const untestable = unchecked.filter(({ status }) => status === "untestable")
  for (const feature of claimed) {
    expect(untestable.some(({ reason }) => reason?.includes(feature))).toBe(true)
  }
  for (const { id, reason } of unchecked) expect(reason, id).toMatch(/^no check yet/)
  expect(last[0]).toBe(
    `This is not a pass: ${untestable.length} requirements of declared features have no check yet. Nobody knows whether they hold.`
  )
  expect(last[1]).toContain(`; ${unchecked.length} have no check yet`)
  const rollback = report.verdicts.find(({ id }) => id === "auth.key.cannot.rollback")
  expect(rollback).toMatchObject({
    status: "untestable",
    reason: expect.stringMatching(/^not seen at work: behaviour the owner's rollback/)
  })
})

test("[conformance.liar] the same implementation is green when it declares what it has", async () => {
  const { report, code, last } = await run([])
  expect(report.verdicts.filter(({ status }) => status === "untestable")).toEqual([])
  expect(code).toBe(0)
  expect(last.join("\n")).not.toContain("not a pass")
  expect(report.verdicts.find(({ id }) => id === "auth.key.cannot.rollback")).toMatchObject({
    status: "unsupported",
    reason: "not asked: behaviour the owner's rollback; not declared: rollback"
  })
})
