import { describe, expect, it, test } from "vitest"

import type { Requirement } from "../sections/Requirement.ts"
import { requirementOf } from "../sections/Requirements.ts"
import type { CheckResult, Status } from "./CheckResult.ts"
import { statuses } from "./CheckResult.ts"
import { exemptions } from "./Features.ts"
import { decidedId } from "./testing/FakeRun.ts"
import { passedResult } from "./testing/PassedResult.ts"
import { type Judging, type Verdict, verdictsOf } from "./Verdict.ts"

const id = "keys.secret.form"
const other = "keys.id.form"
const again = "events.1008.slow"
const original = "state.socket.slow-consumer"
const documentary = "events.webhooks"

const result = (status: Status, more: Partial<CheckResult> = {}): CheckResult => ({
  ...passedResult,
  ids: [id],
  title: `a check that is ${status}`,
  status,
  reason: `because ${status}`,
  ...more
})

interface Given extends Partial<Omit<Judging, "requirements">> {
  readonly ids?: ReadonlyArray<string>
}

const verdicts = ({ ids = [id], results = [], ...given }: Given): ReadonlyArray<Verdict> => {
  const titlesOf = (one: string) =>
    results.filter((result) => result.ids.includes(one)).map(({ title }) => title)
  return verdictsOf({
    requirements: ids.map((one): Requirement => requirementOf(one)),
    results,
    proofs: new Map(results.flatMap(({ ids: told }) => told.map((one) => [one, titlesOf(one)]))),
    declared: { config: { features: [] }, hooks: new Set() },
    baseline: {},
    strict: true,
    scored: null,
    documented: () => null,
    ...given
  })
}

const verdict = (given: Given): Pick<Verdict, "status" | "reason"> => {
  const [first] = verdicts(given)
  if (first === undefined) throw new Error("no verdict")
  return { status: first.status, reason: first.reason }
}

describe("merging", () => {
  const severe: ReadonlyArray<readonly [Status, Status]> = [
    ["pass", "unsupported"],
    ["unsupported", "deviates"],
    ["deviates", "untestable"],
    ["untestable", "fail"],
    ["fail", "error"]
  ]
  it.each(severe)(
    "[conformance.verdict] of %s and %s the latter is told, in either order",
    (mild, bad) => {
      const both = [result(mild), result(bad)]
      const told = { status: bad, reason: `because ${bad}` }
      expect(verdict({ results: both })).toEqual(told)
      expect(verdict({ results: both.toReversed() })).toEqual(told)
    }
  )

  it("[conformance.verdict] a verdict names each of its checks once", () => {
    const [first] = verdicts({ results: [result("pass"), result("fail"), result("pass")] })
    expect(first?.checks).toEqual(["a check that is fail", "a check that is pass"])
  })

  it("[conformance.verdict] checks that end in another order give the same verdict", () => {
    const results = ["b", "c", "a"].map((title) => result("pass", { title, reason: title }))
    const [first] = verdicts({ results })
    expect(first?.checks).toEqual(["a", "b", "c"])
    expect(verdicts({ results: results.toReversed() })).toEqual(verdicts({ results }))
  })

  it("[conformance.verdict] a check does not change the verdict of a requirement that it does not name", () => {
    const results = [result("fail"), result("pass", { ids: [other] })]
    const found = verdicts({ ids: [id, other], results })
    expect(found.map(({ status }) => status)).toEqual(["fail", "pass"])
  })

  it("[conformance.verdict] a requirement that repeats another one has the verdict of that one", () => {
    expect(requirementOf(again).sameAs).toBe(original)
    const results = [result("pass", { ids: [original] })]
    const found = verdicts({ ids: [again, original], results })
    expect(found.map(({ status }) => status)).toEqual(["pass", "pass"])
  })
})

describe("without a result", () => {
  it("[conformance.verdict] a requirement without a check is unsupported", () => {
    expect(verdict({})).toEqual({ status: "unsupported", reason: "no check yet" })
  })

  it("[conformance.verdict] a requirement of a declared feature without a check is untestable", () => {
    const needy = "relay.transport"
    const row = { ...requirementOf(id), id: needy, features: ["relay"], hooks: ["clock"] }
    const judged = (features: ReadonlyArray<string>, hooks: ReadonlyArray<string>) =>
      verdictsOf({
        requirements: [row],
        results: [],
        proofs: new Map(),
        baseline: {},
        strict: true,
        scored: null,
        documented: () => null,
        declared: { config: { features }, hooks: new Set(hooks) }
      })[0]
    const unsupported = (missing: string) => ({
      status: "unsupported",
      reason: `no check yet; not declared: ${missing}`
    })
    expect(judged([], [])).toMatchObject(unsupported("relay"))
    // A hook is no feature of the same name.
    expect(judged([], ["relay", "clock"])).toMatchObject(unsupported("relay"))
    for (const hooks of [[], ["clock"]]) {
      expect(judged(["relay"], hooks)).toMatchObject({
        status: "untestable",
        reason: "no check yet, though declared: relay"
      })
    }
  })

  it("[conformance.verdict] tier D is documented, with the reason of its row", () => {
    const documented = (): string => "D-05 says what it means"
    expect(verdict({ ids: [documentary], documented })).toEqual({
      status: "documented",
      reason: "D-05 says what it means"
    })
  })

  it("[conformance.verdict] [C-475] who does not declare an exempting feature is exempt, with its reason", () => {
    const exempt = (features: ReadonlyArray<string>, status: Status) => {
      const ids = ["limits.room.traffic-443"]
      const results = [result(status, { ids })]
      return verdict({ ids, results, declared: { config: { features }, hooks: new Set() } })
    }
    const [reason] = Object.values(exemptions)
    expect(exempt([], "unsupported")).toEqual({ status: "documented", reason })
    // What was asked counts, and so does a feature that is declared.
    expect(exempt([], "fail").status).toBe("fail")
    expect(exempt(["publicRouter"], "unsupported").status).toBe("unsupported")
  })

  it("[conformance.verdict] a check that did not come to run is no pass", () => {
    expect(verdict({ proofs: new Map([[id, ["a check"]]]) }).status).toBe("not-run")
    // One of its two checks has no result: a report that was cut.
    const proofs = new Map([[id, ["a check that is pass", "a check that is fail", "lost"]]])
    expect(verdict({ results: [result("pass")], proofs })).toEqual({
      status: "not-run",
      reason: 'the run ended before "a check that is fail" did'
    })
    expect(verdict({ results: [result("pass"), result("fail")], proofs }).status).toBe("fail")
  })
})

describe("a capability that a statement names", () => {
  const rollback = "auth.key.cannot.rollback"
  const capability = "behaviour the owner's rollback"
  const judged = (witnessed: ReadonlyArray<string>, features: ReadonlyArray<string> = []) =>
    verdict({
      ids: [rollback],
      results: [result("pass", { ids: [rollback], witnessed })],
      declared: { config: { features }, hooks: new Set() }
    })

  it("[conformance.capabilities] passes a requirement when its checks saw it at work", () => {
    expect(judged([capability])).toMatchObject({ status: "pass" })
    expect(judged([capability], ["rollback"])).toMatchObject({ status: "pass" })
  })

  it("[conformance.capabilities] is unsupported when it was not seen and is declared off", () => {
    expect(judged([])).toEqual({
      status: "unsupported",
      reason: `not asked: ${capability}; not declared: rollback`
    })
  })

  it("[conformance.capabilities] is untestable when it was not seen and is declared, or belongs to everyone", () => {
    const unseen = { status: "untestable", reason: `not seen at work: ${capability}` }
    expect(judged([], ["rollback"])).toEqual(unseen)
    const listing = "route.rooms.list"
    expect(verdict({ ids: [listing], results: [result("pass", { ids: [listing] })] })).toEqual({
      status: "untestable",
      reason: "not seen at work: route GET /v1/projects/:id/rooms"
    })
  })

  it("[conformance.capabilities] hides no failure, and is not looked at where a check was not asked", () => {
    for (const status of ["fail", "error", "unsupported"] as const) {
      const results = [result(status, { ids: [rollback] })]
      const declared = { config: { features: ["rollback"] }, hooks: new Set<string>() }
      expect(verdict({ ids: [rollback], results, declared }).status).toBe(status)
    }
  })
})

describe("a choice of ours", () => {
  const mismatch = result("fail", { ids: [decidedId], expected: "400", actual: "200" })

  it("[conformance.lenient] a decided row that fails deviates, and fails when strict", () => {
    const results = [mismatch]
    expect(requirementOf(decidedId).level).toBe("decided")
    expect(verdict({ ids: [decidedId], results, strict: false })).toEqual({
      status: "deviates",
      reason: "because fail: expected 400, got 200"
    })
    expect(verdict({ ids: [decidedId], results }).status).toBe("fail")
  })

  it("[conformance.lenient] a row of the specification fails all the same", () => {
    expect(verdict({ results: [result("fail")], strict: false }).status).toBe("fail")
  })

  it("[conformance.lenient] an untestable check, or an error, is no deviation", () => {
    for (const status of ["untestable", "error"] as const) {
      const results = [result(status, { ids: [decidedId] })]
      expect(verdict({ ids: [decidedId], results, strict: false }).status).toBe(status)
    }
  })

  it("[conformance.lenient] the verdict names the deviation within a check", () => {
    const results = [result("deviates", { deviations: ["D-02: a: expected 1, got 2"] })]
    expect(verdict({ results })).toEqual({
      status: "deviates",
      reason: "D-02: a: expected 1, got 2"
    })
  })
})

describe("a baseline", () => {
  const expectedFail = [{ id: "keys.*", reason: "issue 7" }]
  const flaky = [{ id, reason: "slow disk" }]

  it("[conformance.baseline] a failure that the baseline names is reported as expected-fail or flaky", () => {
    const results = [result("fail")]
    expect(verdict({ results, baseline: { expectedFail } })).toEqual({
      status: "expected-fail",
      reason: "issue 7 (because fail)"
    })
    expect(verdict({ results, baseline: { flaky } }).status).toBe("flaky")
  })

  it("[conformance.baseline] an expected failure that passes is stale; a flaky one that passes is a pass", () => {
    const results = [result("pass")]
    expect(verdict({ results, baseline: { expectedFail } }).status).toBe("stale")
    expect(verdict({ results, baseline: { flaky } }).status).toBe("pass")
  })

  const unmasked: ReadonlyArray<Status> = ["error", "untestable", "unsupported"]
  it.each(unmasked)("[conformance.baseline] %s is never masked", (status) => {
    for (const baseline of [{ expectedFail }, { flaky }]) {
      expect(verdict({ results: [result(status)], baseline }).status).toBe(status)
    }
  })

  it("[conformance.baseline] a failure that the baseline does not name stays a failure", () => {
    const baseline = { expectedFail: [{ id: other, reason: "issue 8" }] }
    expect(verdict({ results: [result("fail")], baseline }).status).toBe("fail")
  })
})

test.each(statuses)(
  "[conformance.sets] a requirement that the set does not have is not scored: %s",
  (status) => {
    const results = [result(status)]
    expect(verdict({ results, scored: new Set([other]) })).toEqual({
      status: "not-scored",
      reason: `${status}: because ${status}`
    })
    expect(verdict({ results, scored: new Set([id]) }).status).toBe(status)
  }
)
