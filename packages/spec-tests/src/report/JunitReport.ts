import type { CheckResult } from "../engine/CheckResult.ts"
import type { Verdict } from "../engine/Verdict.ts"
import type { Report } from "./Report.ts"
import { byArea, counted, cutText } from "./Tally.ts"
import { replayLine } from "./TerminalReport.ts"

/** A suite for each area, a case for each requirement. */
export const junitReport = (report: Report): string => {
  const suites = [...byArea(report.verdicts)].map(([area, verdicts]) => {
    const counts = counted(verdicts)
    const sum = (...statuses: ReadonlyArray<Verdict["status"]>): number =>
      statuses.reduce((total, status) => total + (counts.get(status) ?? 0), 0)
    const attributes = {
      name: area,
      tests: verdicts.length,
      failures: sum(...failures),
      errors: sum("error", "not-run"),
      skipped: sum(...skips)
    }
    const cases = verdicts.map((verdict) => caseOf(verdict, report))
    return `<testsuite${attributesText(attributes)}>\n${cases.join("\n")}\n</testsuite>`
  })
  const name = attributesText({ name: report.header.implementation })
  const all = [...suites, ...cutSuite(report)].join("\n")
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${name}>\n${all}\n</testsuites>\n`
}

/** An error of its own, or what is left of a run could be green. */
const cutSuite = ({ footer }: Report): ReadonlyArray<string> => {
  const cut = cutText(footer)
  if (cut === null) return []
  const counts = { tests: 1, failures: 0, errors: 1, skipped: 0 }
  const found = `<error${attributesText({ message: cut })}></error>`
  const testcase = `<testcase${attributesText({ name: "run", classname: "the whole run" })}>${found}</testcase>`
  return [`<testsuite${attributesText({ name: "run", ...counts })}>\n${testcase}\n</testsuite>`]
}

const failures = ["fail", "untestable", "stale"] as const
const skips = [
  ...(["unsupported", "documented", "deviates", "expected-fail", "flaky"] as const),
  "not-scored"
] as const

const caseOf = (verdict: Verdict, { results, header }: Report): string => {
  const { id, statement, status, tier, line, reason } = verdict
  const mine = results.filter(
    ({ ids }) => ids.includes(id) || (verdict.sameAs !== null && ids.includes(verdict.sameAs))
  )
  const tookMs = mine.reduce((sum, { tookMs: ms }) => sum + ms, 0)
  const open = `<testcase${attributesText({
    name: id,
    classname: `${statement} (line ${line}, tier ${tier})`,
    time: (tookMs / 1000).toFixed(3)
  })}`
  const element = elementOf(status)
  if (element === null) return `${open}/>`
  const message = attributesText({ message: `${status}: ${reason ?? ""}`.slice(0, 500) })
  const text = mine
    .filter(({ status: one }) => one !== "pass")
    .map((result) => detailsOf(result, { id, seed: header.seed }))
    .join("\n\n")
  return `${open}><${element}${message}>${xmlText(text)}</${element}></testcase>`
}

const elementOf = (status: Verdict["status"]): "failure" | "error" | "skipped" | null => {
  if (status === "pass") return null
  if (status === "error" || status === "not-run") return "error"
  return failures.some((one) => one === status) ? "failure" : "skipped"
}

const detailsOf = (
  { title, reason, expected, actual, deviations, trace, curl, replay }: CheckResult,
  { id, seed }: { readonly id: string; readonly seed: number }
): string =>
  [
    `check: ${title}`,
    ...(reason === null ? [] : [reason]),
    ...(expected === null ? [] : [`expected: ${expected}`]),
    ...(actual === null ? [] : [`actual: ${actual}`]),
    ...deviations,
    ...trace,
    ...(curl === null ? [] : [curl]),
    replayLine(id, { seed, replay })
  ].join("\n")

const attributesText = (attributes: Readonly<Record<string, string | number>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${xmlText(String(value)).replace(/[\t\r\n]/g, " ")}"`)
    .join("")

/** Text for XML 1.0; a character that XML forbids is shown as its number. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- These are what XML forbids.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, (char) => {
      const code = char.codePointAt(0) ?? 0
      return `\\u{${code.toString(16)}}`
    })
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
