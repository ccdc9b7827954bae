import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

import type { CheckResult } from "../engine/CheckResult.ts"
import { junitReport } from "./JunitReport.ts"
import { markdownReport } from "./MarkdownReport.ts"
import { codeOf } from "./Report.ts"
import { shareText } from "./Tally.ts"
import { type Paint, terminalReport } from "./TerminalReport.ts"
import { fakeReport } from "./testing/FakeReport.ts"
import { xmlFault } from "./testing/XmlFault.ts"

const plain: Paint = (_, text) => text
const hostileTexts = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</style></title></pre></details><h1>",
  "<!-- ",
  "]]> &amp; &lt; & &#x41; \u0000\u0001\u001b[2J\ud800\ufffe",
  "a | b\n| c | `d",
  "${7*7} \\",
  "javascript:alert(1)"
]
const hostile = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({
    unit: fc.constantFrom(...`<>"'&|\`\n\r\t\\/=;! a-`, "\u0000", "\ud800", "é", "<b>")
  }),
  fc.string({ unit: "binary" })
)

describe("JUnit", () => {
  it("[conformance.junit] is well-formed with any answer of an implementation", () => {
    expect(xmlFault(junitReport(fakeReport("fine")))).toBeNull()
    fc.assert(fc.property(hostile, (text) => xmlFault(junitReport(fakeReport(text))) === null))
  })

  it("[conformance.junit] has a suite for each area, and tells errors, failures and skips", () => {
    const xml = junitReport(fakeReport("words"))
    const suites = [...xml.matchAll(/<testsuite name="(\w+)" tests="1" (.*?)>/g)].map(
      ([, name, counts]) => `${name} ${counts?.replaceAll('"', "")}`
    )
    expect(suites).toEqual([
      "pass failures=0 errors=0 skipped=0",
      "documented failures=0 errors=0 skipped=1",
      "unsupported failures=0 errors=0 skipped=1",
      "deviates failures=0 errors=0 skipped=1",
      "flaky failures=0 errors=0 skipped=1",
      "expectedfail failures=0 errors=0 skipped=1",
      "untestable failures=1 errors=0 skipped=0",
      "fail failures=1 errors=0 skipped=0",
      "stale failures=1 errors=0 skipped=0",
      "error failures=0 errors=1 skipped=0",
      "notscored failures=0 errors=0 skipped=1",
      "notrun failures=0 errors=1 skipped=0"
    ])
    expect(xml.match(/<failure/g)).toHaveLength(3)
    expect(xml.match(/<error/g)).toHaveLength(2)
    expect(xml.match(/<skipped/g)).toHaveLength(6)
  })
})

describe("conformance.md", () => {
  it("[conformance.md] has the share on top, and nothing that changes from run to run", () => {
    const report = fakeReport("fine")
    const text = markdownReport(report)
    expect(text.split("\n")[2]).toBe(`${shareText(report.verdicts)}.`)
    const later = {
      ...report,
      header: { ...report.header, startedAt: "2027-01-01T00:00:00.000Z", baseUrl: "elsewhere" },
      results: report.results.map((result) => ({ ...result, tookMs: 9, trace: [] })).toReversed(),
      footer: { type: "footer" as const, end: "done" as const, phases: [] }
    }
    expect(markdownReport(later)).toBe(text)
  })

  it("[conformance.md] has one row a requirement with any answer of an implementation", () => {
    const columns = (line: string): number => line.replaceAll("\\|", "").split("|").length
    fc.assert(
      fc.property(hostile, (text) => {
        const report = fakeReport(text)
        const lines = markdownReport(report).split("\n")
        const rows = lines.filter((line) => line.startsWith("| `"))
        expect(rows.map(columns)).toEqual(report.verdicts.map(() => 9))
        expect(lines.some((line) => /^<|^# (?!Conformance of )/.test(line))).toBe(false)
      })
    )
  })
})

describe("the terminal", () => {
  const text = terminalReport(fakeReport("what was said"), plain)

  it("[conformance.terminal] one line an area, failures after them, the share last", () => {
    const lines = text.split("\n")
    expect(lines[0]).toBe("what was said at what was said: strict, seed 7")
    expect(lines).toContain("fail          1 fail")
    expect(lines.at(-2)).toBe("together 1.2 s")
    expect(lines.at(-1)).toBe(shareText(fakeReport("").verdicts))
    expect(lines.findIndex((line) => line.startsWith("fail fail.row"))).toBeGreaterThan(
      lines.indexOf("fail          1 fail")
    )
  })

  it("[conformance.terminal] a failure has its line, both sides, the trace, a command and the replay", () => {
    const [, story = ""] = /^(fail fail\.row[^]*?)\n\n/m.exec(text) ?? []
    expect(story.split("\n")).toEqual([
      "fail fail.row (specification line 7)",
      "  what was said",
      "  check: what was said",
      "  what was said",
      "    expected  what was said",
      "    actual    what was said",
      "    what was said",
      "    | what was said",
      "    | what was said",
      "  what was said",
      "  spec-tests run --only 'fail.row' --seed 7 --replay 'what was said'"
    ])
  })

  it("[conformance.terminal] requirements that pass, deviate, or are unsupported, flaky or documented are not told", () => {
    for (const status of ["pass", "documented", "unsupported", "flaky", "deviates"]) {
      expect(text).not.toContain(`${status}.row`)
    }
  })

  it("[conformance.terminal] control characters of an answer do not reach the terminal", () => {
    fc.assert(
      fc.property(hostile, (said) => {
        const shown = terminalReport(fakeReport(said), plain)
        // oxlint-disable-next-line no-control-regex -- These steer a terminal.
        expect(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(shown)).toBe(false)
      })
    )
  })
})

describe("a report without its end", () => {
  const cut = { ...fakeReport("fine"), footer: null }
  const green = { ...cut, verdicts: cut.verdicts.filter(({ status }) => status === "pass") }
  const says = "the run crashed, or its report was cut"

  it("[conformance.cut] is not green in any form", () => {
    expect(codeOf(green)).toBe(2)
    expect(codeOf({ ...green, footer: fakeReport("").footer })).toBe(0)
    expect(terminalReport(green, plain)).toContain(says)
    expect(markdownReport(green).split("\n")[4]).toBe(`This is not a pass: ${says}.`)
    const xml = junitReport(green)
    expect(xmlFault(xml)).toBeNull()
    expect(xml).toContain(`<error message="${says}">`)
    expect(xml).toContain('<testsuite name="run" tests="1" failures="0" errors="1" skipped="0">')
  })
})

describe("a cause", () => {
  const report = fakeReport("what was said")
  const [template] = report.verdicts.filter(({ status }) => status === "fail")
  const [cause] = report.results.filter(({ status }) => status === "fail")
  const shown = (
    ids: ReadonlyArray<string>,
    results: ReadonlyArray<Partial<CheckResult>>
  ): ReadonlyArray<string> => {
    if (template === undefined || cause === undefined) throw new Error("no failure")
    const text = terminalReport(
      {
        ...report,
        smoke: [],
        verdicts: ids.map((id) => ({ ...template, id })),
        results: results.map((result) => ({ ...cause, trace: [], ...result }))
      },
      plain
    )
    return text.split("\n\n").filter((block) => block.startsWith("fail a."))
  }

  it("[conformance.terminal] that fails requirements has one block, with all of their lines", () => {
    const [block = "", ...more] = shown(["a.one", "a.two"], [{ ids: ["a.one", "a.two"] }])
    expect(more).toEqual([])
    expect(block.match(/^fail a\.\w+/gm)).toEqual(["fail a.one", "fail a.two"])
    expect(block.match(/check: /g)).toHaveLength(1)
    expect(block.match(/spec-tests run/g)).toHaveLength(1)
  })

  it("[conformance.terminal] that several checks report in the same words has one block; other words have another", () => {
    const [block = "", ...more] = shown(
      ["a.one", "a.two"],
      [
        { ids: ["a.one"], title: "first" },
        { ids: ["a.two"], title: "second" }
      ]
    )
    expect(more).toEqual([])
    expect(block).toContain("  check: first\n  check: second\n")
    const apart = shown(
      ["a.one", "a.two"],
      [{ ids: ["a.one"] }, { ids: ["a.two"], actual: "something else" }]
    )
    expect(apart).toHaveLength(2)
  })

  it("[conformance.terminal] of many requirements tells five, and names the others", () => {
    const ids = ["a.1", "a.2", "a.3", "a.4", "a.5", "a.6", "a.7"]
    const [block = ""] = shown(ids, [{ ids }])
    expect(block.match(/^fail a\.\w+/gm)).toHaveLength(5)
    expect(block).toContain("  and 2 other requirements of the same cause: a.6, a.7\n")
  })
})

describe("the share", () => {
  it("[conformance.share] counts passed, documented and unsupported requirements, also of an empty run", () => {
    const [pass] = fakeReport("").verdicts
    expect(shareText([])).toBe(
      "0 requirements: 0 pass (0 %), 0 documented (0 %), 0 unsupported (0 %)"
    )
    expect(shareText(pass === undefined ? [] : [pass, pass])).toBe(
      "2 requirements: 2 pass (100.0 %), 0 documented (0.0 %), 0 unsupported (0.0 %)"
    )
  })
})
