import { describe, expect, test } from "vitest"

import type { Check } from "../check/Check.ts"
import type { CheckResult } from "../engine/CheckResult.ts"
import { wholeSuite } from "../engine/Suite.ts"
import { askChecks } from "../engine/testing/AskChecks.ts"
import { passedResult } from "../engine/testing/PassedResult.ts"
import { areaOf } from "../sections/Requirement.ts"
import { type Misbehaviour, misbehaviours } from "./Misbehaviours.ts"
import { type StubOptions, startStub } from "./StubServer.ts"

const areas = ["keys", "auth", "scope", "rooms", "duration", "error", "project", "caps", "http"]

/** A lenient run on a stub that is started for it. */
const asked = async (
  checks: ReadonlyArray<Check>,
  options: StubOptions,
  patience = 1
): Promise<ReadonlyArray<CheckResult>> => {
  const stub = await startStub(options)
  const { results, ambient } = await askChecks(checks, {
    implementation: stub,
    config: { accounts: stub.accounts, features: [] },
    rules: wholeSuite.ambientRules,
    modelRuns: 3,
    jobs: 4,
    patience
  })
  const seen = [...ambient.findings()].flatMap(
    ([{ ids, title }, { seen: count, faults }]): ReadonlyArray<CheckResult> => {
      const held: CheckResult = { ...passedResult, ids, title, status: "pass", reason: null }
      if (count > 0 && faults.length === 0) return [held]
      return faults.map((reason) => ({ ...held, status: "fail", reason }))
    }
  )
  return [...results, ...seen]
}

/** The patience of runs in which nothing is late by itself: other tests run beside them. */
const BusyMachine = 4

const green: ReadonlyArray<string> = ["pass", "deviates", "unsupported"]

const told = (results: ReadonlyArray<CheckResult>): ReadonlyArray<string> =>
  results
    .filter(({ status }) => !green.includes(status))
    .map(({ status, ids, reason, expected, actual }) =>
      [status, ids.join(), reason, expected, actual].join(" | ")
    )

describe("[C-97] a second implementation, unlike ours", () => {
  test("[conformance.stub] passes the requirements that it implements, even with slow answers", async () => {
    const results = await asked(wholeSuite.checks, { slow: true }, BusyMachine)
    expect(told(results)).toEqual([])
    const held = new Set(
      results.flatMap(({ status, ids }) => (status === "pass" || status === "deviates" ? ids : []))
    )
    const owed = wholeSuite.requirements
      .filter(({ id, tier, level, sameAs, probe, hooks, features }) => {
        const isPlain = tier === "A" && level !== "info" && sameAs === undefined
        const isHttp = probe.every((one) => one === "http") && hooks.length + features.length === 0
        return isPlain && isHttp && areas.includes(areaOf(id)) && !ofRooms.test(id)
      })
      .map(({ id }) => id)
    expect(owed.length).toBeGreaterThan(60)
    expect(owed.filter((id) => !held.has(id))).toEqual([])
  })

  test("[conformance.stub] passes when it looks for the room before it reads the body", async () => {
    const checks = wholeSuite.checks.filter(({ ids }) => ids.some((id) => areaOf(id) === "rooms"))
    expect(told(await asked(checks, { roomFirst: true }, BusyMachine))).toEqual([])
  })
})

/** What takes a room that was made, which takes fixtures. */
const ofRooms = /^rooms\.(?:row|detail|patch\.(?:retention|public|returns|unknown))/

const asksSequences = ({ name }: Check): boolean => name === "model" || name === "race"
const names = Object.keys(misbehaviours).filter((name) => isMisbehaviour(name))

describe("[C-97] a misbehaviour fails what it is, and nothing else", () => {
  test.each(names)("[conformance.stub] %s", async (name) => {
    const expected: ReadonlyArray<string> = misbehaviours[name]
    const own = new Set(expected.map(areaOf))
    // Checks of long sequences are left out: they see the same faults as the direct checks.
    const checks = wholeSuite.checks.filter(
      (check) => !asksSequences(check) && check.ids.some((id) => own.has(areaOf(id)))
    )
    const results = await asked(checks, { misbehave: [name] })
    const failed = results.flatMap(({ status, ids }) => (green.includes(status) ? [] : ids))
    expect([...new Set(failed)].toSorted(), told(results).join("\n")).toEqual(expected.toSorted())
  })
})

function isMisbehaviour(name: string): name is Misbehaviour {
  return Object.hasOwn(misbehaviours, name)
}
